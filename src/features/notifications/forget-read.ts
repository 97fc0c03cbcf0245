import type { Chore } from '../../cluster/chores.ts';
import { notificationTable } from './notification.table.ts';

const batch = 500;

/** Deletes notifications read that many days ago, in small steps. Unread ones stay. */
export function forgetRead(days: number): Chore {
  return {
    name: 'forget what was read long ago',
    step: (rows) => notificationTable.forgetRead(rows, days, batch),
  };
}

/** Forgets mentions that were taken back long ago; restoring one after that announces it again. */
export const forgetWithdrawn: Chore = {
  name: 'forget mentions taken back long ago',
  step: (rows) => notificationTable.forgetWithdrawn(rows, batch),
};
