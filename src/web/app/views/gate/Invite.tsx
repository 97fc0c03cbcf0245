import { useEffect, useState } from 'preact/hooks';
import { ParleyError, type RestAnswer } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import { errorText } from '../../state/toasts.ts';
import { Banner, ServerPicture } from '../parts/Avatar.tsx';
import { Button } from '../parts/Button.tsx';
import { Problem } from '../parts/Form.tsx';
import { peopleIn } from '../people/Discover.tsx';
import { type AppState, useApp, useTexts } from '../useApp.ts';

type Inviting = RestAnswer<'GET /api/servers/invite/:code'>;

/** The page of an invitation to a server. */
export function Invite({ code }: { code: string }) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const { client } = app;
  const [server, setServer] = useState<Inviting | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [waits, setWaits] = useState(false);
  useEffect(() => {
    client
      .rest('GET /api/servers/invite/:code', { code })
      .then(setServer, (reason) => setError(errorText(reason, texts)));
  }, [code]);
  const join = () => {
    setBusy(true);
    joinOrOpen(app, code, server).then(setWaits, (reason) => {
      setError(errorText(reason, texts));
      setBusy(false);
    });
  };
  return (
    <section class="blank">
      {server && <Banner server={server} />}
      {server && (
        <span class="server large" aria-hidden="true">
          <ServerPicture server={server} />
        </span>
      )}
      <h1>{server ? t('Join {name}', { name: server.name }) : t('An invitation')}</h1>
      {server?.inviter && (
        <p>
          {server.channel
            ? t('{name} invites you to #{channel}.', { name: server.inviter.displayName, channel: server.channel.name })
            : t('{name} invites you.', { name: server.inviter.displayName })}
        </p>
      )}
      {server?.description && <p>{server.description}</p>}
      {server && <p class="faint">{peopleIn(texts, server)}</p>}
      <Problem text={error} />
      {waits ? (
        <p role="status">
          {t(
            'Many people are joining right now, so moderators approve each of them. You are in as soon as they approve you.',
          )}
        </p>
      ) : server ? (
        <Button label={t('Join')} disabled={busy} onClick={join} />
      ) : (
        error && (
          <a class="button" href="/app">
            {t('To Parley')}
          </a>
        )
      )}
    </section>
  );
}

/** Joins the server if the user is not a member, and opens it. @returns whether the join waits for approval */
async function joinOrOpen(app: AppState, code: string, server: Inviting | null): Promise<boolean> {
  const joined = await app.servers.joinByCode(code).catch((reason) => {
    if (reason instanceof ParleyError && reason.code === 'ALREADY_MEMBER' && server) {
      return { id: server.id, channelId: server.channel?.id ?? null, status: 'joined' };
    }
    throw reason;
  });
  if (joined.status === 'pending') return true;
  const { id, channelId } = joined;
  app.navigate(channelId ? pathTo.channel(id, channelId) : pathTo.server(id), { replace: true });
  return false;
}
