import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { friends } from '../../state/people.ts';
import { pathTo } from '../../state/router.ts';
import { channels, isAtLeast, renewInvite } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { CopyField } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';

type JoinRequest = RestAnswer<'GET /api/servers/:id/join-requests'>[number];

/** The ways into a server. */
export function Invites({ server }: { server: ServerRecord }) {
  const isAdmin = isAtLeast(server.role, 'admin');
  return (
    <>
      <Block title="Invite link" about="Whoever has it can join, until a new one is made.">
        {server.inviteCode && <CopyField label="Link" value={inviteLink(server.inviteCode)} />}
        {isAdmin && <Renew server={server} />}
      </Block>
      {isAdmin && <Requests server={server} />}
    </>
  );
}

function Renew({ server }: { server: ServerRecord }) {
  const [asking, setAsking] = useState(false);
  const renew = () =>
    attempt(async () => {
      await renewInvite(server);
      tell('There is a new link.');
    });
  return (
    <>
      <Button label="Make a new link" kind="quiet" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title="Make a new invite link?"
          text="The one of now leads nowhere any more. Members stay members."
          action="Make a new link"
          onClose={() => setAsking(false)}
          onConfirm={() => void renew()}
        />
      )}
    </>
  );
}

function Requests({ server }: { server: ServerRecord }) {
  const { list, after } = useRequests(server.id);
  return (
    <Block title="Join requests" about="People who ask to be let into the server, or into one of its private channels.">
      {list?.length === 0 && <p class="empty">Nobody is waiting.</p>}
      <ul class="people">
        {list?.map((request) => (
          <RequestRow key={request.id} request={request} onDecide={(status) => after(() => decide(request, status))} />
        ))}
      </ul>
    </Block>
  );
}

/** Who waits to be let in, as it is now. */
function useRequests(id: string) {
  const { value: list, load, after } = useLoaded(() => parley.rest('GET /api/servers/:id/join-requests', { id }), [id]);
  useEffect(() => {
    const off = [
      parley.on('join-request:created', () => void attempt(load)),
      parley.on('join-request:decided', () => void attempt(load)),
    ];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  return { list, after };
}

type Decision = 'approved' | 'rejected';

function decide({ id: requestId, channelId }: JoinRequest, status: Decision): Promise<JoinRequest> {
  const params = { requestId, body: { status } };
  if (channelId) return parley.rest('PATCH /api/channel-join-requests/:requestId', params);
  return parley.rest('PATCH /api/servers/join-requests/:requestId', params);
}

interface RequestRowProps {
  request: JoinRequest;
  onDecide(status: Decision): void;
}

function RequestRow({ request, onDecide }: RequestRowProps) {
  const { user, serverId, channelId } = request;
  const channel = channels.value.get(serverId)?.find(({ id }) => id === channelId);
  const about = channelId ? `wants to join #${channel?.name ?? ''}` : 'wants to join the server';
  return (
    <Row picture={<Avatar user={user} />} name={user.displayName} about={about}>
      <Button label="Let in" onClick={() => onDecide('approved')} />
      <Button label="Decline" kind="quiet" onClick={() => onDecide('rejected')} />
    </Row>
  );
}

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
