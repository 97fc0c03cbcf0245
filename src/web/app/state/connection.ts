import { type ReadonlySignal, signal } from '@preact/signals';
import { type ConnectionState, type Parley, ParleyError } from '../../../client/index.ts';
import type { Scope } from './scope.ts';
import type { Texts } from './texts.ts';
import { errorText, type Toasts } from './toasts.ts';

/** How soon something is tried again that failed while there is a connection. */
const retryMs = 3000;

/** The connection of a session, and what waits for it. */
export class Connection {
  readonly state: ReadonlySignal<ConnectionState>;
  private readonly client: Parley;
  private readonly scope: Scope;
  private readonly toasts: Toasts;
  private readonly texts: ReadonlySignal<Texts>;

  constructor(client: Parley, scope: Scope, toasts: Toasts, texts: ReadonlySignal<Texts>) {
    this.client = client;
    this.scope = scope;
    this.toasts = toasts;
    this.texts = texts;
    const state = signal(client.state);
    this.state = state;
    client.on('state', (now) => {
      state.value = now;
    });
  }

  /** Runs something once there is a connection again. @returns cancels it */
  onceBack(work: () => void): () => void {
    return this.once(({ status }) => status !== 'offline', work);
  }

  /** Runs something once all further events are received. @returns cancels it */
  onceLive(work: () => void): () => void {
    return this.once(({ status }) => status === 'live', work);
  }

  /** Runs something once there is a connection again, or soon if there is one. @returns cancels it */
  whenReachable(work: () => void): () => void {
    const offState = this.onceBack(() => {
      offTimer();
      work();
    });
    const offTimer = this.scope.after(retryMs, () => {
      if (this.state.peek().status === 'offline') return;
      offState();
      work();
    });
    return () => {
      offState();
      offTimer();
    };
  }

  /**
   * Loads what is to be shown. Failures are shown, and retried once there is a connection: otherwise a page opened offline
   * would stay empty. If there is one, the server may have been overloaded.
   * @returns cancels it, when it is no longer wanted
   */
  load(read: () => Promise<unknown>): () => void {
    let wanted = true;
    let cancel = () => {};
    const start = () =>
      void read().catch((error) => {
        if (!wanted) return;
        const isPassing = error instanceof ParleyError && error.isPassing;
        if (isPassing) cancel = this.whenReachable(start);
        const text = isPassing
          ? this.texts.peek().t('The server cannot be reached. This page shows when it can.')
          : errorText(error, this.texts.peek());
        this.toasts.show(text, 'bad');
      });
    start();
    return () => {
      wanted = false;
      cancel();
    };
  }

  private once(holds: (state: ConnectionState) => boolean, work: () => void): () => void {
    const off = this.client.on('state', (state) => {
      if (!holds(state)) return;
      off();
      work();
    });
    return off;
  }
}
