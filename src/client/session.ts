import { ParleyError } from './errors.ts';
import type { KeyValueStore } from './store.ts';

export interface Tokens {
  accessToken: string;
  /** Null for tokens that are not refreshed: those of agents, and personal ones. */
  refreshToken: string | null;
  /** Whose they are, if known: unsent messages are kept for them. */
  userId: string | null;
}

const storeKey = 'parley:tokens';

/**
 * Who is signed in. Several tabs share one store, and a refresh token works once: so each looks first whether another
 * one has refreshed already.
 */
export class Session {
  private readonly store: KeyValueStore;
  private readonly exchange: (refreshToken: string) => Promise<{ accessToken: string; refreshToken: string }>;
  private readonly ended: (error: ParleyError) => void;
  private refreshing: Promise<string> | undefined;

  /**
   * @param exchange asks the server for new tokens
   * @param ended called when the server no longer takes this session
   */
  constructor(
    store: KeyValueStore,
    exchange: (refreshToken: string) => Promise<{ accessToken: string; refreshToken: string }>,
    ended: (error: ParleyError) => void,
  ) {
    this.store = store;
    this.exchange = exchange;
    this.ended = ended;
  }

  get tokens(): Tokens | null {
    const text = this.store.getItem(storeKey);
    if (text === null) return null;
    const { accessToken = '', refreshToken = null, userId = null }: Partial<Tokens> = JSON.parse(text);
    return { accessToken, refreshToken, userId };
  }

  set tokens(tokens: Tokens | null) {
    if (tokens) this.store.setItem(storeKey, JSON.stringify(tokens));
    else this.store.removeItem(storeKey);
  }

  /** @throws ParleyError SIGNED_OUT */
  get accessToken(): string {
    const token = this.tokens?.accessToken;
    if (!token) throw new ParleyError({ code: 'SIGNED_OUT', error: 'Nobody is signed in.' });
    return token;
  }

  /**
   * A token that is not the refused one; those who ask at once share one exchange.
   * @throws ParleyError when there is no way but to sign in again, or the server cannot be reached
   */
  renew(refused: string): Promise<string> {
    this.refreshing ??= this.exchangeFor(refused).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** Forgets the tokens that the server refused for good, and says so. */
  end(error: ParleyError): void {
    if (!this.tokens) return;
    this.tokens = null;
    this.ended(error);
  }

  private async exchangeFor(refused: string): Promise<string> {
    const tokens = this.tokens;
    if (tokens && tokens.accessToken !== refused) return tokens.accessToken;
    if (!tokens?.refreshToken) {
      const error = new ParleyError({ code: 'ACCESS_TOKEN_INVALID', error: 'Sign in again.' }, 401);
      this.end(error);
      throw error;
    }
    try {
      const fresh = await this.exchange(tokens.refreshToken);
      this.tokens = { ...fresh, userId: tokens.userId };
      return fresh.accessToken;
    } catch (error) {
      if (error instanceof ParleyError && error.status === 401) this.end(error);
      throw error;
    }
  }
}
