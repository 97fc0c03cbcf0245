import type { KeyValueStore } from '../../../client/index.ts';

/** What the web client needs of a browser. Tests bring their own, and so run under Node. */
export interface Surroundings {
  /** The server's URL; the client does not need it where it is the page's origin. */
  url?: string;
  /** The page's origin, as in `https://chat.example.com`. */
  origin: string;
  /** Kept for all tabs of the browser. */
  local: KeyValueStore;
  /** Kept for this tab, over reloads. */
  tab: KeyValueStore;
  /** Reports what other tabs change in `local`; a removed value is null. @returns stops it */
  onStored(listener: (key: string, value: string | null) => void): () => void;
  /** The path of the current address. */
  path(): string;
  /** Changes the address without loading a page. */
  setPath(path: string, replace: boolean): void;
  /** Reports that the user moved through the history. @returns stops it */
  onMoved(listener: () => void): () => void;
  setTitle(text: string): void;
  copy(text: string): Promise<void>;
  /** Whether the page is on the screen. */
  isVisible(): boolean;
  /** Whether the device probably has an on-screen keyboard. */
  isTouched(): boolean;
  alerts: AlertSystem;
}

/** The notifications of the operating system. */
export interface AlertSystem {
  /** Only secure pages support them, and on phones only installed pages. */
  isSupported(): boolean;
  isAllowed(): boolean;
  /** Asks the user. @returns whether alerts are allowed */
  ask(): Promise<boolean>;
  /** Whether the user looks at this page, and needs no alert. */
  isInFront(): boolean;
  /** @param alert several with one `tag` are shown once */
  show(alert: { title: string; body: string; tag: string }, onOpen: () => void): void;
}

/** Keys of what this browser stores for the signed-in user, besides tokens and unsent messages. */
export const keptKeys = {
  draft: 'parley:draft:',
  draftBase: 'parley:draft-base:',
  refused: 'parley:refused:',
  editing: 'parley:editing',
  files: 'parley:files:',
  scroll: 'parley:scroll:',
  place: 'parley:place',
  alerts: 'parley:alerts',
  unproven: 'parley:unproven',
};
