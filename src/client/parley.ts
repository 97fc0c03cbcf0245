import { Awakening } from './awakening.ts';
import { Channel } from './channel.ts';
import { Connection, type ConnectionState } from './connection.ts';
import { Emitter } from './emitter.ts';
import { asParleyError, ParleyError } from './errors.ts';
import type { ChannelEvents, EphemeralEvents, OwnEvents } from './events.ts';
import { host } from './host.ts';
import { type CallOptions, type Confirm, Http } from './http.ts';
import type { AuthAnswer, Message } from './index.ts';
import { type MessageInput, Outbox, type Pending } from './outbox.ts';
import type { RestAnswer, RestArguments, RestCall, RestInput } from './rest.ts';
import { Session } from './session.ts';
import { deviceKey, type KeyValueStore, MemoryStore } from './store.ts';

export interface ParleyOptions {
  /** The server's URL, such as `https://chat.example.com`. In a browser by default the page's origin. */
  url?: string;
  /** An access, agent or personal token, instead of signing in. */
  token?: string;
  /** The store for tokens and unsent messages, such as `localStorage`; by default memory. */
  store?: KeyValueStore;
  /** Asks the user to confirm that it is them (`POST /api/auth/confirm`) where a call needs it. True: it is made once more. */
  confirm?: Confirm;
  /** Makes requests; by default the platform's own `fetch`. */
  fetch?: typeof fetch;
}

/** The client's events besides those of the user's own room. */
export interface ParleySignals {
  state: ConnectionState;
  /** The session was ended elsewhere, or cannot be refreshed: sign in again. */
  'signed-out': ParleyError;
  /** A message was refused and will not be retried. */
  failed: { pending: Pending; error: ParleyError };
  /** Own events were missed that the log no longer has: reread the lists. */
  reload: null;
}

export type Presence = EphemeralEvents['presence:change']['changes'][number];
export type CustomStatus = NonNullable<EphemeralEvents['presence:custom-status']['customStatus']>;
/** What people say of themselves, of those who do. */
export type CustomStatusOf = CustomStatus & { userId: string };

interface PresenceAnswer {
  users: Presence[];
  customStatuses?: CustomStatusOf[];
}

/** Events of channels that are not open: those of DMs arrive without opening. */
export type ParleyEventMap = OwnEvents & ChannelEvents & EphemeralEvents & ParleySignals;

/**
 * A client of a Parley server: signs in, keeps a connection, and provides channels with events in order and without gaps,
 * and messages sent exactly once.
 */
export class Parley {
  private readonly url: string;
  private readonly store: KeyValueStore;
  private readonly session: Session;
  private readonly http: Http;
  private readonly connection: Connection;
  private readonly outbox: Outbox;
  private readonly emitter = new Emitter<ParleyEventMap>();
  private readonly awakening: Awakening;
  private readonly channels = new Map<string, Channel>();

  constructor(options: ParleyOptions = {}) {
    this.url = (options.url ?? host.location?.origin ?? '').replace(/\/+$/, '');
    this.store = options.store ?? new MemoryStore();
    this.session = new Session(
      this.store,
      (token) => this.exchange(token),
      (error) => this.ended(error),
    );
    this.http = new Http(this.url, this.session, options);
    this.connection = new Connection(this.url, this.http, this.session, {
      state: (state) => this.stateChanged(state),
      event: (event, data) => this.handOn(event, data),
      reload: () => this.emitter.emit('reload', null),
      dropped: (feed, error) => this.channels.get(feed.channelId ?? '')?.signal('closed', error),
    });
    this.outbox = new Outbox(
      this.store,
      (pending, signal) => this.attempt(pending, signal),
      (pending, outcome) => this.settled(pending, outcome),
    );
    if (options.token) this.session.tokens = { accessToken: options.token, refreshToken: null, userId: null };
    this.awakening = new Awakening({
      woken: () => this.connection.verify(),
      online: () => this.connection.retryNow(),
      offline: () => this.connection.giveUp(),
    });
  }

  /** Whether there are tokens; the server may still refuse them. */
  get signedIn(): boolean {
    return this.session.tokens !== null;
  }

  get userId(): string | null {
    return this.session.tokens?.userId ?? null;
  }

  get state(): ConnectionState {
    return this.connection.state;
  }

  /** Number of the last event of the user's own room; unknown before the first connection. */
  get position(): number | undefined {
    return this.connection.position;
  }

  /** Says to the server that its user has signed in on this device before; for calls that take it. It stays after signing out. */
  get deviceToken(): string | undefined {
    return this.store.getItem(deviceKey) ?? undefined;
  }

  /** Creates an account and signs in. */
  async signUp(account: RestInput<'POST /api/auth/register'>['body']): Promise<AuthAnswer> {
    return this.signedInAs(await this.http.open('POST /api/auth/register', [{ body: account }]));
  }

  /** Signs in with an e-mail or a username, and a password. @throws ParleyError SECOND_FACTOR_REQUIRED: `completeSignIn` */
  async signIn(credentials: RestInput<'POST /api/auth/login'>['body']): Promise<AuthAnswer> {
    const body = { deviceToken: this.deviceToken, ...credentials };
    return this.signedInAs(await this.http.open('POST /api/auth/login', [{ body }]));
  }

  /**
   * Completes a sign-in that was refused with SECOND_FACTOR_REQUIRED. @param proof the `ticket` of that error, and a code of
   * an authenticator app (`totp`), a `recoveryCode` or the answer of a `passkey`
   */
  async completeSignIn(proof: RestInput<'POST /api/auth/second-factor/sign-in'>['body']): Promise<AuthAnswer> {
    return this.signedInAs(await this.http.open('POST /api/auth/second-factor/sign-in', [{ body: proof }]));
  }

  /** Adopts the result of another way of signing in. */
  signedInAs(answer: AuthAnswer): AuthAnswer {
    const { accessToken, refreshToken, deviceToken, user } = answer;
    if (deviceToken !== undefined) this.store.setItem(deviceKey, deviceToken);
    this.session.tokens = { accessToken, refreshToken, userId: user.id };
    return answer;
  }

  /** Adopts tokens that came without their user. @throws ParleyError when the server refuses them: nothing changes */
  async adopt(tokens: { accessToken: string; refreshToken: string }): Promise<AuthAnswer> {
    const session = new Session(
      new MemoryStore(),
      (token) => this.exchange(token),
      () => {},
    );
    session.tokens = { ...tokens, userId: null };
    const user = await new Http(this.url, session).call('GET /api/auth/me', []);
    // They may have been refreshed during the call.
    const { accessToken, refreshToken } = session.tokens;
    return this.signedInAs({ accessToken, refreshToken: refreshToken ?? tokens.refreshToken, user });
  }

  /** Ends the session on the server, if it can be reached, and forgets the tokens and everything unsent. */
  async signOut(): Promise<void> {
    this.disconnect();
    this.outbox.clear();
    const told = this.http.call('POST /api/auth/logout', []).catch(() => {});
    this.session.tokens = null;
    await told;
  }

  /** A REST call by its name in the API documents: `rest('GET /api/servers/:id', { id })`. @throws ParleyError */
  rest<C extends RestCall>(name: C, ...input: RestArguments<C>): Promise<RestAnswer<C>> {
    return this.http.call(name, input);
  }

  /** The same for what takes long: it can be aborted, and sent by what tells how much of it is there. @throws ParleyError */
  transfer<C extends RestCall>(name: C, input: RestArguments<C>, options: CallOptions): Promise<RestAnswer<C>> {
    return this.http.call(name, input, options);
  }

  /**
   * Connects, stays connected until `disconnect`, and resumes unsent messages.
   * @param after number of the last known event of the user's own room (`position`): what was missed since then comes first
   */
  connect(after?: number): void {
    this.connection.start(after);
    this.awakening.watch();
    if (this.userId) this.outbox.restore(this.userId);
  }

  disconnect(): void {
    this.awakening.rest();
    this.connection.stop();
  }

  /** Tries to connect now instead of after the delay. */
  retryNow(): void {
    this.connection.retryNow();
  }

  /** The user's status on all devices; `offline` hides. @throws ParleyError NETWORK without a socket */
  async setPresence(status: Presence['status']): Promise<void> {
    await this.connection.call('presence:update', { status });
  }

  /**
   * Says whether someone looks at this device, until the connection ends: while any of a person's devices is active, nothing
   * is pushed to them. @throws ParleyError NETWORK without a socket
   */
  async setActive(active: boolean): Promise<void> {
    await this.connection.call('presence:active', { active });
  }

  /**
   * The statuses of those users that the caller may know of, and what they say of themselves; `presence:change` and
   * `presence:custom-status` report changes while this connection lasts.
   * @throws ParleyError NETWORK without a socket
   */
  async watchPresence(userIds: readonly string[]): Promise<(Presence & { customStatus: CustomStatus | null })[]> {
    const answer = await this.connection.call<PresenceAnswer>('presence:subscribe', { userIds });
    // Older nodes tell nothing of it.
    const said = new Map(answer.customStatuses?.map(({ userId, ...status }) => [userId, status]));
    return answer.users.map((user) => ({ ...user, customStatus: said.get(user.userId) ?? null }));
  }

  /** For bots: suggests values to whoever types a command of theirs, in answer to `command:complete`; late ones are dropped. */
  suggest(completionId: string, choices: readonly { value: string; label: string }[]): void {
    this.connection.tell('command:choices', { id: completionId, choices });
  }

  on<E extends keyof ParleyEventMap>(event: E, listener: (data: ParleyEventMap[E]) => void): () => void {
    return this.emitter.on(event, listener);
  }

  /** The channel with this id, always the same object. */
  channel(id: string): Channel {
    const known = this.channels.get(id);
    if (known) return known;
    const channel = new Channel(id, {
      connection: this.connection,
      send: (channelId, input, nonce) => this.send(channelId, input, nonce),
      pending: (channelId) => this.outbox.pending(channelId),
      stream: async (channelId, body) =>
        (await this.rest('POST /api/channels/:channelId/streams', { channelId, body })).message,
    });
    this.channels.set(id, channel);
    return channel;
  }

  /** Withdraws an unsent message. @returns false: too late */
  cancel(pending: Pending): boolean {
    return this.outbox.cancel(pending.nonce);
  }

  private send(channelId: string, input: MessageInput, nonce?: string): Promise<Message> {
    const sent = this.outbox.send(channelId, input, this.userId, nonce);
    this.tellPending(channelId);
    return sent;
  }

  private async attempt({ channelId, input, nonce, userId }: Pending, signal: AbortSignal): Promise<Message> {
    if (userId && this.userId && userId !== this.userId) {
      throw new ParleyError({ code: 'SIGNED_OUT', error: 'The author of this message is no longer signed in.' });
    }
    const body = { ...input, nonce };
    if (this.connection.state.via === 'socket') {
      const sending = this.connection.call<{ message: Message }>('message:send', { channelId, ...body });
      const sent = await sending.catch((error) => {
        if (asParleyError(error).code !== 'ACCESS_TOKEN_INVALID') throw error;
      });
      if (sent) return sent.message;
      // The token has expired, but the socket is open: REST renews it.
    }
    return this.http.call('POST /api/channels/:channelId/messages', [{ channelId, body }], { signal });
  }

  private settled(pending: Pending, outcome: Message | ParleyError): void {
    const isRefused = outcome instanceof ParleyError;
    if (!isRefused) this.channels.get(pending.channelId)?.signal('sent', { pending, message: outcome });
    this.tellPending(pending.channelId);
    if (isRefused) this.emitter.emit('failed', { pending, error: outcome });
  }

  private readonly tellPending = (id: string) => this.channels.get(id)?.signal('pending', [...this.outbox.pending(id)]);

  private stateChanged(state: ConnectionState): void {
    if (state.via !== null) this.outbox.wake();
    this.emitter.emit('state', state);
  }

  private readonly exchange = (refreshToken: string) =>
    this.http.open('POST /api/auth/refresh', [{ body: { refreshToken } }]);

  private ended(error: ParleyError): void {
    this.disconnect();
    this.emitter.emit('signed-out', error);
  }

  private handOn(event: string, data: object): void {
    // The server adheres to its contract, from which these types are generated.
    this.emitter.emit(event as keyof OwnEvents, data as OwnEvents[keyof OwnEvents]);
  }
}
