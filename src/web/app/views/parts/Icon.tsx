/** The paths of the icons, in a box of 24 by 24. */
const lines = {
  add: 'M12 5v14M5 12h14',
  agent: 'M5 9h14v9H5zM12 9V5M9.5 4.5h5M9 13v1.5M15 13v1.5M2.5 12.5v3M21.5 12.5v3',
  announcement: 'M4 10v4h3l8 4V6l-8 4zM18.5 9.5a4 4 0 0 1 0 5',
  app: 'M4 4h6.5v6.5H4zM13.5 4H20v6.5h-6.5zM4 13.5h6.5V20H4zM13.5 13.5H20V20h-6.5z',
  archive: 'M4 4h16v4H4zM5.5 8v12h13V8M10 12h4',
  back: 'M14.5 5l-7 7 7 7',
  bell: 'M6.5 10.5a5.5 5.5 0 0 1 11 0c0 5 2 6.5 2 6.5h-15s2-1.5 2-6.5M10 20h4',
  block: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M6 6l12 12',
  bookmark: 'M6.5 4h11v16l-5.5-4-5.5 4z',
  chat: 'M4 5h16v11H10l-5 4v-4H4z',
  check: 'M5 12.5l4.5 4.5L19 7.5',
  clock: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2',
  close: 'M6 6l12 12M18 6L6 18',
  compass: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M15.5 8.5l-2 5-5 2 2-5z',
  copy: 'M9 9h11v11H9zM15 9V4H4v11h5',
  device: 'M4 5h16v10H4zM2.5 19h19',
  down: 'M6 9.5l6 6 6-6',
  download: 'M12 4v11M7 10.5l5 5 5-5M5 20h14',
  edit: 'M5 19l1-4L16 5l3 3L9 18z',
  file: 'M6 3.5h8l4.5 4.5v12.5H6zM14 3.5V8h4.5',
  folder: 'M3.5 6h6l2 2.5h9V19h-17z',
  forward: 'M9.5 5l7 7-7 7',
  friends:
    'M9 11a3.3 3.3 0 1 0 0-6.6A3.3 3.3 0 0 0 9 11M3 19.5c0-3.6 2.6-5.5 6-5.5s6 1.9 6 5.5M16 11a2.8 2.8 0 0 0 0-5.6M17.5 14.3c2.2.7 3.5 2.4 3.5 5.2',
  hash: 'M9.5 4l-2 16M16.5 4l-2 16M4.5 9h16M3.5 15h16',
  home: 'M4 11l8-7 8 7v9h-5.5v-6h-5v6H4z',
  key: 'M8 19a4 4 0 1 0 0-8 4 4 0 0 0 0 8M11 12.5L19.5 4M16 7.5l3 3',
  leave: 'M14 4H5v16h9M10 12h11M17.5 8.5L21 12l-3.5 3.5',
  link: 'M10 14a4 4 0 0 0 6 .3l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.3l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  more: 'M5 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2M12 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2M19 11.4a.6.6 0 1 0 0 1.2.6.6 0 0 0 0-1.2',
  mute: 'M6.5 10.5a5.5 5.5 0 0 1 9-4.2M17.5 11c.1 4.5 2 6 2 6h-10M7 17H4.5s2-1.5 2-6.5M10 20h4M4 4l16 16',
  open: 'M13 4h7v7M20 4l-9 9M10 5H4v15h15v-6',
  palette:
    'M12 3.5a8.5 8.5 0 1 0 0 17c1.7 0 2-1.2 1.4-2.2-.7-1.2.1-2.8 1.6-2.8h2a3.5 3.5 0 0 0 3.5-3.5c0-4.7-3.8-8.5-8.5-8.5M7.5 11.5v.2M10 7.5v.2M14.5 7.5v.2',
  pin: 'M9 4h6l-1 6 3 3.5H7L10 10zM12 13.5V20',
  pause: 'M8 5v14M16 5v14',
  play: 'M8 5l11 7-11 7z',
  poll: 'M5 20V11M12 20V4M19 20v-6M3 20h18',
  reply: 'M10 6l-6 5.5L10 17M4 11.5h9c4 0 6.5 2 7 6.5',
  search: 'M11 4.5a6.5 6.5 0 1 0 0 13 6.5 6.5 0 0 0 0-13M16 16l4.5 4.5',
  send: 'M4 5l17 7-17 7 2.5-7zM6.5 12H13',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M13 4.5h4v5h-4zM7 14.5h4v5H7z',
  shield: 'M12 3.5l7.5 3v5c0 4.5-3 7.5-7.5 9-4.5-1.5-7.5-4.5-7.5-9v-5z',
  smile: 'M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M8.5 14c.8 1.3 2 2 3.5 2s2.7-.7 3.5-2M9 9.5v.5M15 9.5v.5',
  star: 'M12 3.8l2.5 5.2 5.7.8-4.1 4 1 5.7-5.1-2.7-5.1 2.7 1-5.7-4.1-4 5.7-.8z',
  stop: 'M6.5 6.5h11v11h-11z',
  thread: 'M4 5h16v9H9l-4 3.5V14H4zM10 18h6l3.5 3V18H20',
  trash: 'M5 7h14M9.5 7V4h5v3M7 7l1 13h8l1-13M10.5 11v5M13.5 11v5',
  unread: 'M4 6h16v12H4zM4 7l8 6.5L20 7',
  up: 'M6 14.5l6-6 6 6',
  upload: 'M12 20V9M7 13.5l5-5 5 5M5 4h14',
  user: 'M12 11.5a3.7 3.7 0 1 0 0-7.4 3.7 3.7 0 0 0 0 7.4M5 20c0-3.8 3-6 7-6s7 2.2 7 6',
  voice: 'M12 4a3 3 0 0 0-3 3v4a3 3 0 0 0 6 0V7a3 3 0 0 0-3-3M6 11a6 6 0 0 0 12 0M12 17v3.5',
} as const;

/** Those that point along the lines of a text: mirrored where it runs from right to left. */
const pointing: ReadonlySet<string> = new Set([
  'announcement',
  'back',
  'forward',
  'leave',
  'open',
  'reply',
  'send',
  'thread',
]);

export type IconName = keyof typeof lines;

/** A decorative icon: a text or label beside it says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={pointing.has(name) ? 'glyph pointing' : 'glyph'} viewBox="0 0 24 24" aria-hidden="true">
      <path d={lines[name]} />
    </svg>
  );
}

/** The sign of Parley: a P that speaks. It has its own colours, on any ground. */
export function Sign() {
  return (
    <svg class="emblem" viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="10" fill="#007a72" />
      <path
        fill="#ffffff"
        d="M16.8 5.5a8.6 8.6 0 0 0-8.6 8.6v11.7c0 .9 1.1 1.3 1.7.6l3.2-4.54a8.6 8.6 0 1 0 3.7-16.36z"
      />
      <circle cx="16.8" cy="14.1" r="3.1" fill="#ff7a59" />
    </svg>
  );
}
