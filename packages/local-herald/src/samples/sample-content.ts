type Person = {
  /** Only for people as whom the demo can sign in. */
  key?: string
  name: string
  email: string
  isAi?: boolean
}

type ChangedField = {
  field: string
  before: unknown
  after: unknown
}

export const people: readonly [Person, ...Person[]] = [
  { key: 'amara', name: 'Amara Okafor', email: 'amara.okafor@harbour.example' },
  { key: 'jonas', name: 'Jonas Lindqvist', email: 'jonas.lindqvist@harbour.example' },
  { key: 'mei', name: 'Mei Tanaka', email: 'mei.tanaka@harbour.example' },
  { name: 'Diego Fuentes', email: 'diego.fuentes@harbour.example' },
  { name: 'Research assistant', email: 'assistant@harbour.example', isAi: true },
  { name: 'Zofia Wójcik', email: 'zofia.wojcik@harbour.example' },
  { name: 'Rahul Mehta', email: 'rahul.mehta@harbour.example' },
]

export const entities: readonly [Entity, ...Entity[]] = [
  { type: 'portfolio', id: 'pf-2201', title: 'Nordic infrastructure fund' },
  { type: 'company', id: 'co-0417', title: 'Blue Heron Logistics' },
  { type: 'report', id: 'rp-3390', title: 'Quarterly valuation, Q3' },
  { type: 'portfolio', id: 'pf-2207', title: 'Green transition II' },
  { type: 'company', id: 'co-0533', title: 'Atlas Grid Services' },
]

type Entity = {
  type: string
  id: string
  title: string
}

export const remarks: readonly [string, ...string[]] = [
  'could you confirm the exit multiple before we send this out?',
  'the covenant test is in cell F14, it looks off by a quarter.',
  'I added the signed term sheet, please have a look.',
  'does this EBITDA include the one-off from March?',
  'thanks, this is much clearer now 🙌',
  'three comparable deals closed since the last valuation; a summary is attached.',
  'who owns the follow-up with the auditors?',
  'the Øresund numbers arrived, they are 4 % above plan.',
]

export const changedFields: readonly [ChangedField, ...ChangedField[]] = [
  {
    field: 'valuation',
    before: { amount: 41_500_000, currency: 'EUR', method: 'DCF', multiples: { ebitda: 8.4, revenue: 2.1 } },
    after: { amount: 43_250_000, currency: 'EUR', method: 'DCF', multiples: { ebitda: 8.75, revenue: 2.1 } },
  },
  { field: 'status', before: 'draft', after: 'in review' },
  { field: 'owner', before: null, after: { name: 'Mei Tanaka', team: 'Infrastructure' } },
  { field: 'tags', before: ['energy', 'core', 'watchlist'], after: ['energy', 'core', 'nordics'] },
  { field: 'closingDate', before: '2026-03-31', after: '2026-04-15' },
  { field: 'note', before: 'Waiting for the auditors.', after: null },
  { field: 'ownership', before: 0.42, after: 0.475 },
  {
    field: 'summary',
    before: 'The fund holds six assets in Norway and Sweden, and expects to exit two of them by the end of 2027.',
    after: 'The fund holds seven assets in Norway, Sweden and Finland, and expects to exit two of them by mid 2028.',
  },
  { field: 'isListed', before: false, after: true },
  {
    field: 'covenants',
    before: [
      { name: 'Leverage', limit: 4.5, tested: 'quarterly' },
      { name: 'Interest cover', limit: 2, tested: 'quarterly' },
    ],
    after: [
      { name: 'Leverage', limit: 4.25, tested: 'quarterly' },
      { name: 'Interest cover', limit: 2, tested: 'quarterly' },
      { name: 'Liquidity', limit: 10_000_000, tested: 'monthly' },
    ],
  },
]
