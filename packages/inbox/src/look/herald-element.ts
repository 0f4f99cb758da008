import { createHeraldClient, type HeraldClient, type TokenSource } from '@herald/client'
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit'
import { createAnnouncer } from './announcer.ts'
import { localeOf } from './locale.ts'
import { tickEvery } from './ticking.ts'

/** What both components share: whom they ask, in which language, and what they say aloud. */
export abstract class HeraldElement extends LitElement {
  static override properties: PropertyDeclarations = {
    baseUrl: { attribute: 'base-url' },
    token: { attribute: false },
    client: { attribute: false },
    theme: { reflect: true },
    spoken: { state: true },
  }

  /** Where Herald is, with the version that stands before its paths. */
  declare baseUrl: string | undefined
  /** The bearer token, or a function that is asked for it before each request. */
  declare token: TokenSource | undefined
  /** A client to use in place of one made of `baseUrl` and `token`. */
  declare client: HeraldClient | undefined
  /** `light` or `dark`; the system's choice when it is neither. */
  declare theme: string | undefined
  declare protected spoken: string

  readonly #announcer = createAnnouncer((text) => {
    this.spoken = text
  })
  #connected: HeraldClient | undefined

  constructor() {
    super()
    this.spoken = ''
    tickEvery(this)
  }

  /** Begins to show what `client` has. */
  protected abstract connect(client: HeraldClient): void
  /** Ends what `connect` has begun. */
  protected abstract disconnect(): void

  override connectedCallback(): void {
    super.connectedCallback()
    if (this.hasUpdated) this.#reconnect()
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback()
    this.#leave()
    this.#announcer.stop()
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (['client', 'baseUrl', 'token'].some((name) => changed.has(name))) this.#reconnect()
  }

  protected announce(text: string): void {
    this.#announcer.announce(text)
  }

  protected get locale(): string {
    return localeOf(this)
  }

  /** Tells the host page; `false` when it has prevented what would follow. */
  protected tell(name: string, detail: object): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }

  #reconnect(): void {
    this.#leave()
    const { client, baseUrl, token } = this
    if (client) this.#connected = client
    else if (baseUrl !== undefined && token !== undefined) this.#connected = createHeraldClient({ baseUrl, token })
    if (this.#connected && this.isConnected) this.connect(this.#connected)
  }

  #leave(): void {
    if (this.#connected) this.disconnect()
    this.#connected = undefined
  }
}
