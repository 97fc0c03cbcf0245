import { userById, userByUsername } from '../../access/user.table.ts';
import { channelUpdated } from '../../contract/channel.ts';
import { channelRoom } from '../../contract/rooms.ts';
import { isUuid } from '../../contract/schema.ts';
import { channelRecords } from '../../features/members/channel.table.ts';
import { channelChange } from '../../features/members/channel.view.ts';
import type { Input } from '../command.ts';
import { TransferError } from '../transfer/failure.ts';
import { channelsMade, moveAll, placeholderOf } from './claim.table.ts';
import { isMemberOf } from './people.table.ts';

type Deps = Pick<Input, 'database' | 'changes' | 'services'>;

/** Channels whose logs one change locks. */
const channelsAtOnce = 20;

/**
 * Gives an account what a placeholder of an import wrote: its messages, files, threads, reactions, mentions and private
 * channels. The placeholder is deleted. It is the operator who says that both are the same person.
 * @throws TransferError for what is no placeholder, or is somebody's by now; AppError USER_NOT_FOUND
 */
export async function claim(
  deps: Deps,
  placeholderName: string,
  accountName: string,
): Promise<{ from: string; to: string }> {
  const { database, changes, services } = deps;
  const { rows } = database;
  const named = (name: string) => (isUuid(name) ? userById(rows, name) : userByUsername(rows, name));
  const [from, to] = [await named(placeholderName), await named(accountName)];
  const found = await placeholderOf(rows, from.id);
  if (!found) throw new TransferError(`${from.username} is no placeholder of a finished import.`);
  if (found.isUsed)
    throw new TransferError(`${from.username} is somebody's account by now: they have signed in to it.`);
  if (to.isBot || to.id === from.id) throw new TransferError(`${to.username} is no account of a person.`);
  const { serverId, importId } = found;
  if (!(await isMemberOf(rows, serverId, to.id))) {
    await changes.run((change) => services.roster.add(change, to, serverId, 'member'));
  }
  const channels = await channelsMade(rows, importId);
  await database.longTransaction((long) => moveAll(long, from.id, to.id, channels), { snapshot: false });
  await tellChannels(deps, channels);
  await services.accountDeletion.deleteUser(from.username, 'keep', 0);
  return { from: from.username, to: to.username };
}

/** Pages that nodes keep are of the time before; an event in each channel makes them read again. */
async function tellChannels({ changes }: Deps, channels: string[]): Promise<void> {
  for (let at = 0; at < channels.length; at += channelsAtOnce) {
    const some = channels.slice(at, at + channelsAtOnce);
    await changes.run(async (change) => {
      await change.lock(...some.map(channelRoom));
      for (const channel of await channelRecords(change.rows, some)) {
        change.publish(channelUpdated.in(channelRoom(channel.id), channelChange(channel)));
      }
    });
  }
}
