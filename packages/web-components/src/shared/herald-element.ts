import { createHeraldClient, type HeraldClient, type TokenSource } from '@herald/client'
import { LitElement, type PropertyDeclarations, type PropertyValues } from 'lit'
import { followLanguages, languageFor } from '../texts/languages.ts'
import { createAnnouncer } from './announcer.ts'
import { localeOf } from './locale.ts'
import { tickEvery } from './ticking.ts'

/** Base of both components: the connection to Herald, the locale and announcements to screen readers. */
export abstract class HeraldElement extends LitElement {
  static override properties: PropertyDeclarations = {
    baseUrl: { attribute: 'base-url' },
    token: { attribute: false },
    client: { attribute: false },
    theme: { reflect: true },
    locale: {},
    spoken: { state: true },
  }

  /** URL of Herald, including the version in front of its paths. */
  declare baseUrl: string | undefined
  /**
   * The bearer token, or a function that returns it and is called before each request. The newest one is asked; another function
   * or another token of the same user changes nothing else.
   */
  declare token: TokenSource | undefined
  /** A client to use instead of `baseUrl` and `token`. */
  declare client: HeraldClient | undefined
  /** `light` or `dark`; otherwise follows the system. */
  declare theme: string | undefined
  /** BCP 47 tag of the language of texts and times; otherwise the `lang` of the nearest ancestor, or the browser's. */
  declare locale: string | undefined
  declare protected spoken: string

  readonly #announcer = createAnnouncer((text) => {
    this.spoken = text
  })
  #connected: HeraldClient | undefined
  #wasSignedIn = false

  constructor() {
    super()
    this.spoken = ''
    tickEvery(this)
    followLanguages(this)
  }

  /** Starts to load and display data of `client`. */
  protected abstract connect(client: HeraldClient): void
  /** Releases everything that `connect` acquired. */
  protected abstract disconnect(): void
  /** The page has set another token, or another function. */
  protected onToken(): void {}

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
    const isSignedIn = this.token !== undefined && this.token !== ''
    const isSame = !changed.has('client') && !changed.has('baseUrl') && isSignedIn === this.#wasSignedIn
    this.#wasSignedIn = isSignedIn
    if (!isSame) this.#reconnect()
    else if (changed.has('token')) {
      // A string is another token; a function may be the same one, written in place.
      if (typeof this.token === 'string') void this.#connected?.session?.user().catch(() => {})
      this.onToken()
    }
  }

  protected announce(text: string): void {
    this.#announcer.announce(text)
  }

  protected get currentLocale(): string {
    return localeOf(this, this.locale)
  }

  /** The texts in the language of the locale, and the tag of that language. */
  protected get language() {
    return languageFor(this.currentLocale)
  }

  /** Dispatches an event to the host page; returns `false` if the page prevented the default. */
  protected emit(name: string, detail: object): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }

  #reconnect(): void {
    this.#leave()
    const { client, baseUrl, token } = this
    if (client) this.#connected = client
    else if (baseUrl !== undefined && token !== undefined) {
      const ask = (options: { refresh: boolean }) =>
        typeof this.token === 'function' ? this.token(options) : this.token
      this.#connected = createHeraldClient({ baseUrl, token: ask })
    }
    if (this.#connected && this.isConnected) this.connect(this.#connected)
  }

  #leave(): void {
    if (this.#connected) this.disconnect()
    this.#connected = undefined
  }
}
