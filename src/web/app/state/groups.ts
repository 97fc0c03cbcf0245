import type { RestAnswer } from '../../../client/index.ts';
import type { Texts } from './texts.ts';

/** A conversation with one person, or a group. */
export type DmChannel = RestAnswer<'GET /api/dm/channels'>[number];
export type Group = Extract<DmChannel, { kind: 'group' }>;
/** A person as everyone sees them. */
export type SmallUser = Group['members'][number];

/** Those in a conversation besides the user. */
export function othersIn(dm: DmChannel, ownId: string | undefined): SmallUser[] {
  return dm.kind === 'group' ? dm.members.filter(({ id }) => id !== ownId) : [dm.otherUser];
}

/** The name of a conversation: the one that was given to it, else those of the others in it. */
export function nameOf({ t }: Texts, dm: DmChannel, ownId: string | undefined): string {
  if (dm.kind === 'group' && dm.name !== '') return dm.name;
  const names = othersIn(dm, ownId).map(({ displayName }) => displayName);
  return names.length > 0 ? names.join(', ') : t('Only you');
}

/** The same with a person as they are now. */
export function withUser(dm: DmChannel, user: SmallUser): DmChannel {
  if (dm.kind === 'group')
    return { ...dm, members: dm.members.map((member) => (member.id === user.id ? user : member)) };
  return dm.otherUser.id === user.id ? { ...dm, otherUser: user } : dm;
}
