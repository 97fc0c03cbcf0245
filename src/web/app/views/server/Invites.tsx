import { useEffect, useState } from 'preact/hooks';
import type { RestAnswer, ServerRecord } from '../../../../client/index.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Confirm } from '../parts/Dialog.tsx';
import { CopyField } from '../parts/Field.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';
import { InviteLinks, inviteLink } from './InviteLinks.tsx';
import { RaidMode } from './RaidMode.tsx';

type JoinRequest = RestAnswer<'GET /api/servers/:id/join-requests'>[number];

/** The invite links of a server, raid mode, and who asks to be let in. */
export function Invites({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { rights } = useApp();
  const mayHold = rights.may(server, 'server:raid');
  return (
    <>
      <Block title={t('Invite link')} about={t('Anyone who has it can join, until you create a new one.')}>
        {server.inviteCode && <CopyField label={t('Link')} value={inviteLink(server.inviteCode)} />}
        {rights.may(server, 'server:regenerate-invite') && <Renew server={server} />}
      </Block>
      <InviteLinks server={server} />
      {(mayHold || rights.may(server, 'join-request:decide')) && <Requests server={server} />}
      {mayHold && <RaidMode server={server} />}
    </>
  );
}

function Renew({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const { attempt, servers, showToast } = useApp();
  const [asking, setAsking] = useState(false);
  const renew = () =>
    attempt(async () => {
      await servers.renewInvite(server);
      showToast(t('There is a new link.'));
    });
  return (
    <>
      <Button label={t('Create a new link')} kind="quiet" onClick={() => setAsking(true)} />
      {asking && (
        <Confirm
          title={t('Create a new invite link?')}
          text={t('The current link stops working. Members stay members.')}
          action={t('Create a new link')}
          onClose={() => setAsking(false)}
          onConfirm={() => void renew()}
        />
      )}
    </>
  );
}

function Requests({ server }: { server: ServerRecord }) {
  const { t } = useTexts();
  const app = useApp();
  const { list, after } = useRequests(server.id);
  const [asking, setAsking] = useState<Decision | null>(null);
  return (
    <Block title={t('Join requests')} about={t('People who ask to join the server or one of its private channels.')}>
      {list?.length === 0 && <p class="empty">{t('Nobody is waiting.')}</p>}
      {list?.some(({ isHeld }) => isHeld) && (
        <div class="inline wrapping">
          <Button label={t('Let everyone in who is waiting')} onClick={() => setAsking('approved')} />
          <Button label={t('Decline everyone who is waiting')} kind="danger" onClick={() => setAsking('rejected')} />
        </div>
      )}
      {asking && (
        <Confirm
          title={asking === 'approved' ? t('Let everyone in who is waiting?') : t('Decline everyone who is waiting?')}
          text={
            asking === 'approved'
              ? t('They are members at once.')
              : t('They do not get in. With an invitation they can ask again.')
          }
          action={asking === 'approved' ? t('Let all in') : t('Decline all')}
          onClose={() => setAsking(null)}
          onConfirm={() => after(() => decideAll(app, server.id, asking))}
        />
      )}
      <ul class="people">
        {list?.map((request) => (
          <RequestRow
            key={request.id}
            request={request}
            onDecide={(status) => after(() => decide(app, request, status))}
          />
        ))}
      </ul>
    </Block>
  );
}

/** The open join requests, kept up to date. */
function useRequests(id: string) {
  const { client, attempt } = useApp();
  const { value: list, load, after } = useLoaded(() => client.rest('GET /api/servers/:id/join-requests', { id }), [id]);
  useEffect(() => {
    const off = [
      client.on('join-request:created', () => void attempt(load)),
      client.on('join-request:decided', () => void attempt(load)),
    ];
    return () => {
      for (const end of off) end();
    };
  }, [id]);
  return { list, after };
}

type Decision = 'approved' | 'rejected';

function decide(app: AppState, { id: requestId, channelId }: JoinRequest, status: Decision): Promise<JoinRequest> {
  const params = { requestId, body: { status } };
  if (channelId) return app.client.rest('PATCH /api/channel-join-requests/:requestId', params);
  return app.client.rest('PATCH /api/servers/join-requests/:requestId', params);
}

/** Those that raid mode holds, in steps, until none is left that can be decided. */
async function decideAll({ client, showToast }: AppState, id: string, status: Decision): Promise<void> {
  const body = { status, all: true, held: true } as const;
  for (;;) {
    const { decided, failed, hasMore } = await client.rest('POST /api/servers/:id/join-requests/decide', { id, body });
    const [first] = failed;
    if (first) showToast(first.error);
    if (!hasMore || decided.length === 0) return;
  }
}

interface RequestRowProps {
  request: JoinRequest;
  onDecide(status: Decision): void;
}

function RequestRow({ request, onDecide }: RequestRowProps) {
  const { t } = useTexts();
  const { servers } = useApp();
  const { user, serverId, channelId, isHeld } = request;
  const channel = servers.channels.value.get(serverId)?.find(({ id }) => id === channelId);
  const wish = isHeld ? t('joined, and is held by raid mode') : t('wants to join the server');
  const about = channelId ? t('wants to join #{name}', { name: channel?.name ?? '' }) : wish;
  return (
    <Row picture={<Avatar user={user} />} name={user.displayName} about={about}>
      <Button label={t('Let in')} onClick={() => onDecide('approved')} />
      <Button label={t('Decline')} kind="quiet" onClick={() => onDecide('rejected')} />
    </Row>
  );
}
