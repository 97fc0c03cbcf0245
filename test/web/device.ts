import { type KeyValueStore, MemoryStore } from '../../src/client/index.ts';
import type { Shown } from '../../src/web/app/state/look.ts';
import { createPage, type PageState } from '../../src/web/app/state/page.ts';
import type { SessionState } from '../../src/web/app/state/session.ts';
import type { Surroundings } from '../../src/web/app/state/surroundings.ts';
import type { Person } from '../world/person.ts';

type Listener = (key: string, value: string | null) => void;

/** A tab of a browser, without the browser: the web client's state in it is the real one. */
export interface Tab {
  page: PageState;
  /** The state of the session; throws where nobody is signed in. */
  app(): SessionState;
  stored: KeyValueStore;
  title(): string;
  /** In which colours and sizes it is shown, and with which accent. */
  look(): Pick<View, 'shown' | 'accent'>;
  /** Moves through the history, as the back button does. */
  moveTo(path: string): void;
  setVisible(isVisible: boolean): void;
  /** Titles of the alerts that the system was asked to show. */
  alerts: string[];
  copied: string[];
  close(): void;
}

/** What a tab shows. */
interface View {
  path: string;
  title: string;
  shown: Shown | null;
  accent: string | null;
  isVisible: boolean;
  moved: Set<() => void>;
  attentive: Set<() => void>;
}

/** A browser, as far as the web client's state needs one: what its tabs share, and what each has. */
export class Device {
  readonly local = new MemoryStore();
  /** What its user reads, and its clock. */
  languages: readonly string[] = ['en'];
  timeZone = 'UTC';
  private readonly url: string;
  /** What its tabs do one after the other, by name. */
  private readonly turns = new Map<string, Promise<void>>();
  private readonly listeners = new Map<Tab, Set<Listener>>();

  /** @param url of the server that all tabs show */
  constructor(url: string) {
    this.url = url;
  }

  /** Opens a tab at a path, signed in as a person where there is one. */
  open(path: string, person: Person | null = null, stored: KeyValueStore = new MemoryStore()): Tab {
    if (person) {
      const tokens = { accessToken: person.token, refreshToken: person.refreshToken, userId: person.id };
      this.local.setItem('parley:tokens', JSON.stringify(tokens));
    }
    const listeners = new Set<Listener>();
    const view: View = {
      ...{ path, title: '', shown: null, accent: null, isVisible: true },
      ...{ moved: new Set(), attentive: new Set() },
    };
    const [alerts, copied]: [string[], string[]] = [[], []];
    const page = createPage(this.surroundings(listeners, view, { alerts, copied, stored }));
    const tab: Tab = {
      page,
      app() {
        const session = page.account.session.peek();
        if (!session) throw new Error('Nobody is signed in.');
        return session;
      },
      stored,
      title: () => view.title,
      look: () => ({ shown: view.shown, accent: view.accent }),
      moveTo(to) {
        view.path = to;
        for (const listener of view.moved) listener();
      },
      setVisible(isVisible) {
        view.isVisible = isVisible;
        for (const listener of view.attentive) listener();
      },
      alerts,
      copied,
      close: () => {
        page.close();
        this.listeners.delete(tab);
      },
    };
    this.listeners.set(tab, listeners);
    return tab;
  }

  close(): void {
    for (const tab of [...this.listeners.keys()]) tab.close();
  }

  private surroundings(
    listeners: Set<Listener>,
    view: View,
    { alerts, copied, stored }: { alerts: string[]; copied: string[]; stored: KeyValueStore },
  ): Surroundings {
    return {
      url: this.url,
      origin: this.url,
      local: this.sharedStore(listeners),
      tab: stored,
      onStored(listener) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
      alone: (name, work) => {
        const turn = (this.turns.get(name) ?? Promise.resolve()).then(work);
        this.turns.set(
          name,
          turn.catch(() => {}),
        );
        return turn;
      },
      path: () => view.path,
      setPath(path) {
        view.path = path;
      },
      onMoved(listener) {
        view.moved.add(listener);
        return () => view.moved.delete(listener);
      },
      languages: this.languages,
      timeZone: this.timeZone,
      setLanguage: () => {},
      setLook(shown) {
        view.shown = shown;
      },
      setAccent(accent) {
        view.accent = accent;
      },
      setTitle(text) {
        view.title = text;
      },
      async copy(text) {
        copied.push(text);
      },
      attention: {
        isHere: () => view.isVisible,
        onChange(listener) {
          view.attentive.add(listener);
          return () => view.attentive.delete(listener);
        },
      },
      isTouched: () => false,
      isRoomy: () => true,
      alerts: {
        isSupported: () => true,
        isAllowed: () => true,
        ask: async () => true,
        isInFront: () => view.isVisible,
        show: ({ title }) => alerts.push(title),
      },
    };
  }

  /** What one tab stores is reported to the others. */
  private sharedStore(own: Set<Listener>): KeyValueStore {
    const { local, listeners } = this;
    const report: Listener = (key, value) => {
      if (local.getItem(key) === value) return;
      if (value === null) local.removeItem(key);
      else local.setItem(key, value);
      for (const others of listeners.values()) {
        if (others !== own) for (const listener of [...others]) queueMicrotask(() => listener(key, value));
      }
    };
    return {
      get length() {
        return local.length;
      },
      key: (index) => local.key(index),
      getItem: (key) => local.getItem(key),
      setItem: report,
      removeItem: (key) => report(key, null),
    };
  }
}
