import { html, nothing, type TemplateResult } from 'lit'
import type { Comment } from './session.ts'
import { timeOf } from './time.ts'

export type CommentsView = {
  readonly comments: readonly Comment[]
  /** The key of the user who is signed in. */
  readonly as: string
  /** The id of a location that the address names. */
  readonly linkedId: string | undefined
  readonly onDelete: (id: string) => void
}

/** The comments of all users; the own ones can be deleted. */
export function commentsView({ comments, as, linkedId, onDelete }: CommentsView): TemplateResult {
  const isLinkMissing = linkedId !== undefined && !comments.some(({ id }) => id === linkedId)
  return html`<section class="card" id="comments" aria-labelledby="comments-title">
    <h2 id="comments-title">Comments</h2>
    ${isLinkMissing ? html`<p>The link leads to a comment that was deleted, or to a sample, of which there is no comment.</p>` : nothing}
    ${comments.length === 0 ? html`<p>None yet. Deleting a comment retracts its mentions.</p>` : nothing}
    ${
      comments.length === 0
        ? nothing
        : html`<ul class="rows" tabindex="0" aria-labelledby="comments-title">
      ${comments.map(
        ({ id, text, createdAt, entityTitle, author, recipients }) =>
          html`<li aria-current=${id === linkedId ? 'true' : nothing}>
            <img class="face" src=${author.image} alt="" />
            <div>
              <b>${author.name}</b> ${timeOf(createdAt)}
              <p>${text}</p>
              <small>${entityTitle}, mentions ${recipients.map(({ name }) => name).join(', ')}</small>
            </div>
            ${
              author.key === as
                ? html`<button class="delete" type="button" @click=${() => onDelete(id)}>Delete comment</button>`
                : nothing
            }
          </li>`,
      )}
    </ul>`
    }
  </section>`
}
