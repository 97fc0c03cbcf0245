import type { ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { friends } from '../../state/people.ts';
import { pathTo } from '../../state/router.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Row } from '../parts/Row.tsx';
import { CopyField } from '../parts/Secret.tsx';

export const inviteLink = (code: string): string => location.origin + pathTo.invite(code);

export function InvitePeople({ server, onClose }: { server: ServerRecord; onClose(): void }) {
  const invite = (userId: string, name: string) =>
    attempt(async () => {
      await parley.rest('POST /api/servers/:id/invite-member', { id: server.id, body: { userId } });
      tell(`${name} is told of it.`);
    });
  return (
    <Dialog title={`Invite people to ${server.name}`} onClose={onClose}>
      {server.inviteCode && <CopyField label="With this link anyone can join" value={inviteLink(server.inviteCode)} />}
      {friends.value.length > 0 && (
        <ul class="people found">
          {friends.value.map(({ friendId, user }) => (
            <Row
              key={friendId}
              picture={<Avatar user={user} size="small" />}
              name={user.displayName}
              about={`@${user.username}`}
            >
              <Button label="Invite" kind="quiet" onClick={() => void invite(friendId, user.displayName)} />
            </Row>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
