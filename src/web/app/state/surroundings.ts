import type { KeyValueStore, Transport } from '../../../client/index.ts';
import type { Shown } from './look.ts';
import type { VoiceFacts } from './uploads.ts';

/** What the web client needs of a browser. Tests bring their own, and so run under Node. */
export interface Surroundings {
  /** The server's URL; the client does not need it where it is the page's origin. */
  url?: string;
  /** The page's origin, as in `https://chat.example.com`. */
  origin: string;
  /** Makes requests; by default as the platform does. */
  fetch?: typeof fetch;
  /** Kept for all tabs of the browser. */
  local: KeyValueStore;
  /** Kept for this tab, over reloads. */
  tab: KeyValueStore;
  /** Reports what other tabs change in `local`; a removed value is null. @returns stops it */
  onStored(listener: (key: string, value: string | null) => void): () => void;
  /** Does work once no other tab does work of that name. */
  alone(name: string, work: () => Promise<void>): Promise<void>;
  /** The path of the current address. */
  path(): string;
  /** Changes the address without loading a page. */
  setPath(path: string, replace: boolean): void;
  /** Reports that the user moved through the history. @returns stops it */
  onMoved(listener: () => void): () => void;
  /** What the user reads, as language tags, the best one first. */
  languages: readonly string[];
  /** The IANA name of the device's time zone. */
  timeZone: string;
  /** Says in which language the page is, and in which direction it is read. */
  setLanguage(language: string, direction: 'ltr' | 'rtl'): void;
  /** Shows the page in these colours and sizes. */
  setLook(shown: Shown): void;
  /** The colour of buttons and the like; null: the page's own. */
  setAccent(color: string | null): void;
  setTitle(text: string): void;
  copy(text: string): Promise<void>;
  attention: Attention;
  /** Whether the device probably has an on-screen keyboard. */
  isTouched(): boolean;
  /** Whether there is room for a panel beside what is shown, and not only in its place. */
  isRoomy(): boolean;
  alerts: AlertSystem;
  /** Absent where a page can be no more than a page. */
  device?: Device | undefined;
  /** Absent where nothing can be recorded. */
  microphone?: Microphone | undefined;
  /** Sends what is large, and tells which share of it is sent. Absent: it cannot be told. */
  transport?(onShare: (share: number) => void): Transport;
  /** Whether whoever leaves the page is asked before: something would be lost. */
  guard?(isOn: boolean): void;
}

/** What records a voice message. */
export interface Microphone {
  /** Asks the user where that is necessary, and begins. @throws Error when the browser or the user does not allow it */
  record(): Promise<Recording>;
}

/** A voice message while it is spoken. */
export interface Recording {
  readonly elapsedMs: number;
  /** @param name of the file, without its ending */
  stop(name: string): Promise<Recorded>;
  discard(): void;
}

export interface Recorded extends VoiceFacts {
  file: File;
}

/** Whether someone is at this page: only then is something read, and nothing has to be pushed. */
export interface Attention {
  /** It is on the screen, has the focus, and something was done lately. */
  isHere(): boolean;
  /** Reports that this has changed. @returns stops it */
  onChange(listener: () => void): () => void;
}

/** Where pushes to a browser go, and what they are encrypted for. */
export interface PushAddress {
  endpoint?: string;
  keys?: Record<string, string>;
}

/** What a page can do beyond its window. */
export interface Device {
  /** Whether pushes can be received; on iPhones only by the installed app. */
  canBePushed(): boolean;
  /** Whether the user has allowed it. */
  mayBePushed(): boolean;
  /** Asks the user where that is necessary. @throws Error when the browser or the user does not allow it */
  subscribe(publicKey: string): Promise<PushAddress>;
  unsubscribe(): Promise<void>;
  /** Closes what was pushed and is shown. @param isOver by the ids of notifications */
  closeShown(isOver: (id: string) => boolean): Promise<void>;
  /** On the icon of the installed app; 0: none. */
  setBadge(count: number): void;
  /** Reports a path to go to, since someone clicked on a push. @returns stops it */
  onOpen(listener: (path: string) => void): () => void;
  /** Reports that another version is installed now. @returns stops it */
  onUpdated(listener: () => void): () => void;
  signedIn(): void;
  /** Drops what the browser keeps for the user. */
  signedOut(): Promise<void>;
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
  reply: 'parley:reply:',
  refused: 'parley:refused:',
  editing: 'parley:editing',
  files: 'parley:files:',
  scroll: 'parley:scroll:',
  place: 'parley:place',
  alerts: 'parley:alerts',
  pushes: 'parley:pushes',
  unproven: 'parley:unproven',
  emoji: 'parley:emoji',
  hues: 'parley:hues',
  folded: 'parley:folded',
  skinTone: 'parley:skin-tone',
  waiting: 'parley:waiting',
  formatBar: 'parley:format-bar',
  panel: 'parley:panel',
  keysOff: 'parley:keys-off',
};
