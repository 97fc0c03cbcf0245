import { type ReadonlySignal, signal } from '@preact/signals';
import { type AuthAnswer, type KeyValueStore, type OwnUser, Parley, ParleyError } from '../../../client/index.ts';
import { deviceKey, keysOf, MemoryStore } from '../../../client/store.ts';
import { Confirmation } from './confirmation.ts';
import { type Router, routeOf } from './router.ts';
import { Scope } from './scope.ts';
import { createSession, ownUserKey, type SessionState } from './session.ts';
import { keptKeys, type Surroundings } from './surroundings.ts';
import type { Texts } from './texts.ts';
import { errorText } from './toasts.ts';

/** The user whose session was ended from outside: only they may return to what they left in this browser. */
const absentKey = 'parley:absent';
/** Where to go after signing in. */
const nextKey = 'parley:next';
/** A sign-in with another service was started in this tab. */
const startedKey = 'parley:begun';

interface AccountDeps {
  surroundings: Surroundings;
  scope: Scope;
  router: Router;
  texts: ReadonlySignal<Texts>;
}

/** A sign-in that waits for a second factor. */
export interface Unfinished {
  ticket: string;
  /** What completes it: `totp`, `passkey`, `recovery`. */
  methods: readonly string[];
}

/** Who is signed in on this page. Each session has a state of its own, which is dropped with it. */
export class Account {
  readonly session = signal<SessionState | null>(null);
  /** Why the sign-in page is shown, when the user did not ask for it. */
  readonly signedOutReason = signal<string | null>(null);
  /** What is to be completed on the sign-in page. */
  readonly unfinished = signal<Unfinished | null>(null);
  /** The last user whom this page knew, signed in or not any more. */
  private lastUserId: string | null;
  private readonly deps: AccountDeps;

  constructor(deps: AccountDeps) {
    this.deps = deps;
    this.lastUserId = deps.scope.local.getItem(absentKey);
    this.open();
    deps.scope.onStored((key, value) => this.stored(key, value));
  }

  /** The client of the session, else one that belongs to nobody. */
  get client(): Parley {
    return this.session.value?.client ?? this.newClient();
  }

  /** A client that is not signed in and stores nothing. It knows what says that someone has signed in here before. */
  newClient(): Parley {
    const store = new MemoryStore();
    const device = this.deps.scope.local.getItem(deviceKey);
    if (device !== null) store.setItem(deviceKey, device);
    return new Parley({ url: this.deps.surroundings.url, store });
  }

  /** Whether this browser belongs to someone else until now: signed in, or absent with things left here. */
  belongsToOther({ id }: Pick<OwnUser, 'id'>): boolean {
    const before = this.session.peek()?.me.peek()?.id ?? this.deps.scope.local.getItem(absentKey);
    return before !== null && before !== id;
  }

  /** Signs in, or asks for the second factor first. */
  async signIn(begin: (client: Parley) => Promise<AuthAnswer>): Promise<void> {
    try {
      this.signedIn(await begin(this.client));
    } catch (error) {
      if (!(error instanceof ParleyError) || error.ticket === null) throw error;
      this.unfinished.value = { ticket: error.ticket, methods: error.methods };
    }
  }

  /** Forgets the sign-in that was not completed. */
  startOver(): void {
    this.unfinished.value = null;
  }

  /** Starts a session with a sign-in. @param target the path to navigate to; by default where the user wanted to go */
  signedIn(answer: AuthAnswer, target?: string): void {
    const next = this.takeNext();
    if (isSignInPage(this.deps.router.route.peek().name)) this.deps.router.navigate(target ?? next, { replace: true });
    if (this.belongsToOther(answer.user)) {
      // Nothing of the user until now is pushed to this browser any more.
      void this.deps.surroundings.device?.unsubscribe().catch(() => {});
      this.forgetKept();
    }
    this.deps.scope.local.removeItem(absentKey);
    this.close();
    this.open(answer);
    if (answer.restored)
      this.session
        .peek()
        ?.showToast(this.deps.texts.peek().t('Your account stays. Your bots are stopped: start them again.'));
  }

  /** Ends the session, here and on the server, and forgets what this browser stored of the user. */
  async signOut(): Promise<void> {
    const session = this.session.peek();
    const ended = session?.client.signOut();
    this.close();
    const forgotten = this.deps.surroundings.device?.signedOut();
    this.deps.scope.local.removeItem(ownUserKey);
    this.forgetKept();
    this.deps.router.navigate('/app/login');
    await Promise.all([ended, forgotten]);
  }

  /** The user deleted their account: nothing of it stays in this browser. @param reason shown where they may sign in again */
  left(reason: string): void {
    // This drops the tokens and what was not sent yet; the server has ended the session by itself.
    void this.session.peek()?.client.signOut();
    this.close();
    void this.deps.surroundings.device?.signedOut();
    this.deps.scope.local.removeItem(ownUserKey);
    this.deps.scope.local.removeItem(absentKey);
    this.forgetKept();
    this.deps.router.navigate('/app/login');
    this.signedOutReason.value = reason;
  }

  /** Drops the state of the session; the tokens stay. */
  close(): void {
    const session = this.session.peek();
    this.lastUserId = session?.me.peek()?.id ?? this.lastUserId;
    session?.close();
    this.session.value = null;
  }

  /** Who follows an invitation and creates an account first still wants to get there. */
  rememberNext(): void {
    const { surroundings, router, scope } = this.deps;
    if (!isSignInPage(router.route.peek().name)) scope.tab.setItem(nextKey, surroundings.path());
  }

  /** The code of the invitation that led to the sign-in page. */
  get invitation(): string | null {
    const here = this.deps.router.route.value;
    const wanted = isSignInPage(here.name) ? routeOf(this.deps.scope.tab.getItem(nextKey) ?? '/app') : here;
    return wanted.name === 'invite' ? wanted.code : null;
  }

  /** Where the user wanted to go before signing in. */
  private takeNext(): string {
    const next = this.deps.scope.tab.getItem(nextKey);
    this.deps.scope.tab.removeItem(nextKey);
    return next ?? '/app';
  }

  /** Notes that a sign-in with another service starts here. */
  providerSignInStarted(): void {
    this.deps.scope.tab.setItem(startedKey, 'yes');
  }

  /** Whether the sign-in that ends here started here: a link with tokens can come from anyone. */
  takeProviderSignIn(): boolean {
    const started = this.deps.scope.tab.getItem(startedKey);
    this.deps.scope.tab.removeItem(startedKey);
    return started !== null;
  }

  /** @param answer a sign-in; without one the stored session, if any, is resumed */
  private open(answer?: AuthAnswer): void {
    const { surroundings, router, texts } = this.deps;
    const scope = new Scope(surroundings);
    const confirmation = new Confirmation();
    const { url, fetch } = surroundings;
    const client = new Parley({ url, fetch, store: scope.local, confirm: confirmation.ask });
    if (answer) client.signedInAs(answer);
    if (!client.signedIn) {
      scope.end();
      return;
    }
    const session = createSession({ surroundings, router, texts, client, confirmation, scope });
    client.on('signed-out', (error) => {
      // A request of an earlier session may be refused after another one has started.
      if (this.session.peek() === session) this.ended(error);
    });
    this.session.value = session;
    this.startOver();
    this.signedOutReason.value = null;
    if (answer) session.signedInAs(answer.user);
    client.connect();
    if (!answer) void session.refreshMe();
  }

  private ended(error: ParleyError): void {
    this.close();
    void this.deps.surroundings.device?.signedOut();
    if (this.lastUserId) this.deps.scope.local.setItem(absentKey, this.lastUserId);
    this.deps.scope.local.removeItem(ownUserKey);
    this.signedOutReason.value =
      error.code === 'SESSION_REVOKED'
        ? this.deps.texts.peek().t('This session was ended. Sign in again.')
        : errorText(error, this.deps.texts.peek());
  }

  /** Someone signed in in another tab: what this page shows may not be theirs, and messages sent here would be. */
  private stored(key: string, value: string | null): void {
    if (key !== ownUserKey || value === null) return;
    const { id }: OwnUser = JSON.parse(value);
    if (id === this.session.peek()?.me.peek()?.id) return;
    this.close();
    // That tab has cleared what all tabs share.
    if (this.lastUserId !== id) forgetKept(this.deps.scope.tab);
    this.open();
  }

  private forgetKept(): void {
    for (const store of [this.deps.scope.local, this.deps.scope.tab]) forgetKept(store);
  }
}

/** The next user of this browser must not see what it stores of this one. */
function forgetKept(store: KeyValueStore): void {
  for (const key of Object.values(keptKeys).flatMap((prefix) => keysOf(store, prefix))) store.removeItem(key);
}

const signInPages = ['home', 'login', 'register', 'code', 'forgot', 'oauth-callback', 'verify-email', 'undo-email'];
const isSignInPage = (name: string): boolean => signInPages.includes(name);
