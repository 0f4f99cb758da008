export interface Mutant {
  name: string
}
