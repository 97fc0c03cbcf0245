import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { channels, isAtLeast, renewInvite } from '../../state/servers.ts';
import { attempt, tell } from '../../state/toasts.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { Row } from '../parts/Row.tsx';
import { CopyField } from '../parts/Secret.tsx';
import { inviteLink } from './InvitePeople.tsx';

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
      <button type="button" class="button quiet" onClick={() => setAsking(true)}>
        Make a new link
      </button>
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
  const {
    value: list,
    load,
    after,
  } = useLoaded(() => parley.rest('GET /api/servers/:id/join-requests', { id: server.id }), [server.id]);
  useEffect(() => {
    const off = [
      parley.on('join-request:created', () => void attempt(load)),
      parley.on('join-request:decided', () => void attempt(load)),
    ];
    return () => {
      for (const end of off) end();
    };
  }, [server.id]);
  const decide = ({ id: requestId, channelId }: JoinRequest, status: 'approved' | 'rejected') =>
    after(() =>
      channelId
        ? parley.rest('PATCH /api/channel-join-requests/:requestId', { requestId, body: { status } })
        : parley.rest('PATCH /api/servers/join-requests/:requestId', { requestId, body: { status } }),
    );
  const nameOf = (channelId: string) => channels.value.get(server.id)?.find(({ id }) => id === channelId)?.name ?? '';
  return (
    <Block title="Join requests" about="People who ask to be let into the server, or into one of its private channels.">
      {list?.length === 0 && <p class="empty">Nobody is waiting.</p>}
      <ul class="people">
        {list?.map((request) => (
          <Row
            key={request.id}
            picture={<Avatar user={request.user} />}
            name={request.user.displayName}
            about={request.channelId ? `wants to join #${nameOf(request.channelId)}` : 'wants to join the server'}
          >
            <button type="button" class="button" onClick={() => decide(request, 'approved')}>
              Let in
            </button>
            <button type="button" class="button quiet" onClick={() => decide(request, 'rejected')}>
              Decline
            </button>
          </Row>
        ))}
      </ul>
    </Block>
  );
}
