import type { ChannelRecord } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { channelMembersOf, membersOf } from '../../state/members.ts';
import { talkTo } from '../../state/people.ts';
import { currentServer, isAtLeast, outranks } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { IconButton } from '../parts/IconButton.tsx';
import { useLoaded } from '../parts/loading.ts';
import { PickAndAdd } from '../parts/PickAndAdd.tsx';
import { Row } from '../parts/Row.tsx';
import { MemberList } from './MemberList.tsx';

/** Who is in a channel; those who run the server add others and take them out. */
export function ChannelMembers({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const server = currentServer.value;
  const { value: list, after } = useLoaded(() => channelMembersOf(channel.id), [channel.id]);
  const remove = (userId: string) =>
    after(() => parley.rest('DELETE /api/channels/:id/members/:userId', { id: channel.id, userId }));
  const add = (userId: string) =>
    after(() => parley.rest('POST /api/channels/:id/members', { id: channel.id, body: { userId } }));
  const talk = (userId: string) => {
    onClose();
    void attempt(() => talkTo(userId));
  };
  const mayRemove = isAtLeast(server?.role, 'moderator');
  return (
    <Dialog title={`Members of #${channel.name}`} onClose={onClose}>
      {server && isAtLeast(server.role, 'admin') && list && (
        <AddMember serverId={server.id} present={new Set(list.map(({ userId }) => userId))} onAdd={add} />
      )}
      <MemberList
        list={list}
        row={({ userId, user, role }) => (
          <Row
            key={userId}
            picture={<Avatar user={user} present />}
            name={user.displayName}
            about={`@${user.username}`}
          >
            {userId !== me.value?.id && (
              <IconButton icon="chat" label={`Message ${user.displayName}`} onClick={() => talk(userId)} />
            )}
            {mayRemove && userId !== me.value?.id && outranks(server?.role, role) && (
              <Button label="Take out" kind="quiet" onClick={() => remove(userId)} />
            )}
          </Row>
        )}
      />
    </Dialog>
  );
}

interface AddMemberProps {
  serverId: string;
  /** Who is in it already. */
  present: ReadonlySet<string>;
  onAdd(userId: string): void;
}

function AddMember({ serverId, present, onAdd }: AddMemberProps) {
  const { value: all } = useLoaded(() => membersOf(serverId), [serverId]);
  const missing = all?.filter(({ userId }) => !present.has(userId)) ?? [];
  const options = missing.map(({ userId, user }) => ({
    value: userId,
    label: `${user.displayName} (@${user.username})`,
  }));
  return <PickAndAdd label="Who is to be added" options={options} onAdd={onAdd} />;
}
