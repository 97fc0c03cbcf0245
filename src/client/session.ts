import { ParleyError } from './errors.ts';
import type { KeyValueStore } from './store.ts';

export interface Tokens {
  accessToken: string;
  /** Null for tokens that are not refreshed: agent and personal tokens. */
  refreshToken: string | null;
  /** Their user, if known: unsent messages are stored per user. */
  userId: string | null;
}

const storeKey = 'parley:tokens';

/**
 * The signed-in user's tokens. Several tabs share one store, and a refresh token works once: so each checks first whether
 * another one has refreshed already.
 */
export class Session {
  private readonly store: KeyValueStore;
  private readonly exchange: (refreshToken: string) => Promise<{ accessToken: string; refreshToken: string }>;
  private readonly ended: (error: ParleyError) => void;
  private refreshing: Promise<string> | undefined;
  /** Whether its end was reported, or requested; the store does not show it, since another tab may have emptied it. */
  private over: boolean;

  /**
   * @param exchange asks the server for new tokens
   * @param ended called when the server no longer accepts this session
   */
  constructor(
    store: KeyValueStore,
    exchange: (refreshToken: string) => Promise<{ accessToken: string; refreshToken: string }>,
    ended: (error: ParleyError) => void,
  ) {
    this.store = store;
    this.exchange = exchange;
    this.ended = ended;
    this.over = this.tokens === null;
  }

  get tokens(): Tokens | null {
    const text = this.store.getItem(storeKey);
    if (text === null) return null;
    const { accessToken = '', refreshToken = null, userId = null }: Partial<Tokens> = JSON.parse(text);
    return { accessToken, refreshToken, userId };
  }

  set tokens(tokens: Tokens | null) {
    this.over = tokens === null;
    if (tokens) this.store.setItem(storeKey, JSON.stringify(tokens));
    else this.store.removeItem(storeKey);
  }

  /** @throws ParleyError SIGNED_OUT */
  get accessToken(): string {
    const token = this.tokens?.accessToken;
    if (!token) throw nobody();
    this.over = false;
    return token;
  }

  /**
   * A token other than the refused one; concurrent calls share one exchange.
   * @throws ParleyError when the user has to sign in again, or the server cannot be reached
   */
  renew(refused: string): Promise<string> {
    this.refreshing ??= this.exchangeFor(refused).finally(() => {
      this.refreshing = undefined;
    });
    return this.refreshing;
  }

  /** Forgets tokens that the server refused for good, and reports that. */
  end(error: ParleyError): void {
    if (this.over) return;
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
      return this.takeOver(tokens, await this.exchange(tokens.refreshToken));
    } catch (error) {
      if (error instanceof ParleyError && (error.status === 401 || error.isShutOut)) this.end(error);
      throw error;
    }
  }

  /** A user who signed out, or in as someone else, during the request does not get the old session back. */
  private takeOver(old: Tokens, fresh: { accessToken: string; refreshToken: string }): string {
    const now = this.tokens;
    if (!now) throw nobody();
    if (now.refreshToken !== old.refreshToken) return now.accessToken;
    this.tokens = { ...fresh, userId: now.userId };
    return fresh.accessToken;
  }
}

const nobody = () => new ParleyError({ code: 'SIGNED_OUT', error: 'Nobody is signed in.' });
