/** What a menu of the lists is of. */
export type MenuOf =
  | { kind: 'channel'; serverId: string; channelId: string }
  | { kind: 'dm'; channelId: string }
  | { kind: 'category'; serverId: string; categoryId: string }
  | { kind: 'server'; serverId: string }
  | { kind: 'home' };

/** A menu of an entry of the lists, that a right click, a long press or a key has opened. */
export interface EntryMenu {
  of: MenuOf;
  /** Where it opens, in pixels of the window. */
  at: { x: number; y: number };
}
