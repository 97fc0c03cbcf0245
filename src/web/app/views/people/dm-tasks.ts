import type { DmChannel } from '../../state/groups.ts';
import type { Texts } from '../../state/texts.ts';
import type { MenuItem } from '../parts/Menu.tsx';

/** What someone is about to do with a conversation. */
export type DmTask = 'people' | 'add' | 'rename' | 'turn' | 'leave';

/** What can be done with a conversation of people. */
export function dmItems({ t }: Texts, dm: DmChannel, onTask: (task: DmTask) => void): MenuItem[] {
  const add: MenuItem = { label: t('Add people'), icon: 'add', run: () => onTask('add') };
  if (dm.kind === 'dm') return [add];
  return [
    add,
    { label: t('Name the group'), icon: 'edit', run: () => onTask('rename') },
    { label: t('Turn into a channel'), icon: 'hash', run: () => onTask('turn') },
    { label: t('Leave the group'), icon: 'leave', danger: true, run: () => onTask('leave') },
  ];
}
