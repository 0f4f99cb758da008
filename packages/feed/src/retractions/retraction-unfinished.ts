import { StorageUnavailableError } from '@herald/mongo'

/** A retraction concerns more than is retracted in one go. The same retraction continues where this one stopped. */
export class RetractionUnfinishedError extends StorageUnavailableError {
  override readonly name = 'RetractionUnfinishedError'
}
