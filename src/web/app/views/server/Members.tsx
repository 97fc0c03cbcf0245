import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { me, parley } from '../../state/client.ts';
import { openDm } from '../../state/people.ts';
import { go, pathTo } from '../../state/router.ts';
import { attempt } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Dialog } from '../parts/Dialog.tsx';

type Member = RestAnswer<'GET /api/servers/:id/members'>[number];

const rank = { owner: 3, admin: 2, moderator: 1, member: 0 };

export function Members({ server, onClose }: { server: ServerRecord; onClose(): void }) {
  const [list, setList] = useState<Member[] | null>(null);
  useEffect(() => {
    void attempt(async () => setList(await parley.rest('GET /api/servers/:id/members', { id: server.id })));
  }, [server.id]);
  const talk = (userId: string) =>
    attempt(async () => {
      const channel = await openDm(userId);
      onClose();
      go(pathTo.channel(null, channel.id));
    });
  const kick = (userId: string) =>
    attempt(async () => {
      await parley.rest('DELETE /api/servers/:id/members/:userId', { id: server.id, userId });
      setList((known) => known?.filter((member) => member.userId !== userId) ?? null);
    });
  const own = rank[server.role ?? 'member'];
  return (
    <Dialog title="Members" onClose={onClose}>
      {list === null && <p class="faint">One moment…</p>}
      <ul class="people found">
        {list?.map(({ userId, user, role }) => (
          <li key={userId}>
            <Avatar user={user} present />
            <span class="who">
              <span class="name">{user.displayName}</span>
              <span class="faint">{role === 'member' ? `@${user.username}` : role}</span>
            </span>
            {userId !== me.value?.id && !user.isBot && (
              <button type="button" class="button quiet" onClick={() => void talk(userId)}>
                Message
              </button>
            )}
            {own > 0 && own > rank[role] && (
              <button type="button" class="button danger" onClick={() => void kick(userId)}>
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
