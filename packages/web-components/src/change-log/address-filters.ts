import type { ChangeEntryFilters } from '@herald/client'

/** The filters as shown in the form and the address bar. `from` and `to` are days; `to` is inclusive. */
export const filterNames = ['entityType', 'entityId', 'userId', 'actionType', 'changedField', 'from', 'to'] as const
export type FilterName = (typeof filterNames)[number]
export type Filters = Readonly<Partial<Record<FilterName, string>>>

export function readFilters(search: string, prefix: string): Filters {
  const parameters = new URLSearchParams(search)
  const found = filterNames.flatMap((name) => {
    const value = parameters.get(prefix + name)
    return value && isValid(name, value) ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}

/** Replaces the filters in a query string and keeps other parameters. */
export function writeFilters(search: string, prefix: string, filters: Filters): string {
  const parameters = new URLSearchParams(search)
  for (const name of filterNames) {
    const value = filters[name]
    if (value) parameters.set(prefix + name, value)
    else parameters.delete(prefix + name)
  }
  return parameters.size > 0 ? `?${parameters}` : ''
}

/** Converts the filters to a query of the API; days start and end in the local time zone. */
export function queryOf({ from, to, ...others }: Filters): ChangeEntryFilters {
  return {
    ...others,
    ...(from === undefined ? {} : { createdFrom: startOf(from, 0) }),
    ...(to === undefined ? {} : { createdTo: startOf(to, 1) }),
  }
}

function startOf(day: string, daysLater: number): Date {
  const [year = 1970, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater)
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether Herald accepts the value. An invalid one, typed into the address bar, would make every request fail. */
function isValid(name: FilterName, value: string): boolean {
  if (name === 'userId') return uuid.test(value)
  if (name === 'from' || name === 'to') return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value))
  return true
}
