import type { ServerRecord } from '../../../../client/index.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { CopyField } from '../parts/Field.tsx';
import { Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { inviteLink, NewLink } from './InviteLinks.tsx';

export function InvitePeople({ server, onClose }: { server: ServerRecord; onClose(): void }) {
  const { t } = useTexts();
  const { attempt, client, showToast, people, rights } = useApp();
  const invite = (userId: string, name: string) =>
    attempt(async () => {
      await client.rest('POST /api/servers/:id/invite-member', { id: server.id, body: { userId } });
      showToast(t('{name} was invited.', { name }));
    });
  return (
    <Dialog title={t('Invite people to {name}', { name: server.name })} onClose={onClose}>
      {server.inviteCode && (
        <CopyField label={t('Anyone with this link can join')} value={inviteLink(server.inviteCode)} />
      )}
      {rights.may(server, 'invite:create') && <NewLink server={server} />}
      {rights.may(server, 'server:invite') && people.friends.value.length > 0 && (
        <ul class="people found">
          {people.friends.value.map(({ friendId, user }) => (
            <Row
              key={friendId}
              picture={<Avatar user={user} size="small" />}
              name={user.displayName}
              about={`@${user.username}`}
            >
              <Button label={t('Invite')} kind="quiet" onClick={() => void invite(friendId, user.displayName)} />
            </Row>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
