/** The bytes of a response of MongoDB, and a view of them that reads four at a time. */
export type Input = { readonly bytes: Buffer; readonly view: DataView }

/** The whole buffer of which `bytes` is a part. */
export function inputOf({ buffer }: Buffer): Input {
  return { bytes: Buffer.from(buffer), view: new DataView(buffer) }
}
