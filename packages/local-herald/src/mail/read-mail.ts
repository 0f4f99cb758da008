import PostalMime from 'postal-mime'
import type { Mail } from './mailbox.ts'

const subjectCharacters = 200
const linkCharacters = 500

/** Reads what the mailbox shows. Only a line that begins with `linkPrefix` is a link; the last one counts. */
export async function readMail(content: Uint8Array, linkPrefix: string): Promise<Pick<Mail, 'subject' | 'link'>> {
  const { subject = '', text = '' } = await PostalMime.parse(content)
  const link = text.split(/\r?\n/).findLast((line) => line.startsWith(linkPrefix) && line.length <= linkCharacters)
  return { subject: subject.slice(0, subjectCharacters), link }
}
