import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import { pathTo } from '../../state/router.ts';
import type { Texts } from '../../state/texts.ts';
import { ServerPicture } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Empty } from '../parts/Empty.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { usePages } from '../parts/loading.ts';
import { Block, Page } from '../parts/Page.tsx';
import { CreateServer } from '../server/CreateServer.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** The page size. */
const pageSize = 50;

export function Discover() {
  const { t } = useTexts();
  const { client } = useApp();
  const [query, setQuery] = useState('');
  const { list, onMore } = usePages<ServerRecord>(
    pageSize,
    ({ length: offset }) => client.rest('GET /api/servers/discover', { query: { query, limit: pageSize, offset } }),
    [query],
  );
  return (
    <Page title={t('Discover servers')} back="/app/messages">
      <Form class="block beside" action={t('Search')} work={async ({ text }) => setQuery(text('query'))}>
        <Field label={t('Search public servers')} name="query" maxlength={100} />
      </Form>
      <JoinByLink />
      {list?.length === 0 && (
        <Empty
          icon="compass"
          title={query ? t('No public server matches your search.') : t('There are no public servers yet.')}
          about={t('To join a private server, ask someone in it for an invitation.')}
        />
      )}
      <ul class="cards">
        {list?.map((server) => (
          <Entry key={server.id} server={server} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Page>
  );
}

function Entry({ server }: { server: ServerRecord }) {
  const texts = useTexts();
  const { t } = texts;
  const { servers, attempt, navigate } = useApp();
  const isMember = servers.list.value.some(({ id }) => id === server.id);
  const join = () =>
    attempt(async () => {
      if (!isMember && (await servers.joinPublic(server.id)).status === 'pending') return;
      navigate(pathTo.server(server.id));
    });
  return (
    <li>
      <span class="server" aria-hidden="true">
        <ServerPicture server={server} />
      </span>
      <strong class="name">{server.name}</strong>
      <p class="faint">{server.description}</p>
      <footer>
        <span class="faint">{peopleIn(texts, server)}</span>
        <Button
          label={isMember ? t('Open') : t('Join')}
          kind={isMember ? 'quiet' : undefined}
          onClick={() => void join()}
        />
      </footer>
    </li>
  );
}

export const peopleIn = ({ t }: Texts, { memberCount }: Pick<ServerRecord, 'memberCount'>): string =>
  t('{count, plural, one {# member} other {# members}}', { count: memberCount });

/** For users who are in no server: how to join one. */
export function Welcome() {
  const { rich, t } = useTexts();
  const { can } = useApp();
  const [creating, setCreating] = useState(false);
  return (
    <>
      <Block title={t('Welcome to Parley')} about={t('People talk in servers, and you are in none yet.')}>
        <p class="ways">
          <a class="button quiet" href="/app/discover">
            {t('Find a public server')}
          </a>
          {can('server:create') && <Button label={t('Create a server')} onClick={() => setCreating(true)} />}
        </p>
        {!can('server:create') && (
          <p class="faint">
            {rich('To create one of your own, {link}.', {
              link: <a href={pathTo.settings('profile')}>{t('redeem an invite code')}</a>,
            })}
          </p>
        )}
      </Block>
      <JoinByLink />
      {creating && <CreateServer onClose={() => setCreating(false)} />}
    </>
  );
}

/** A field for an invitation that was sent as text. */
export function JoinByLink() {
  const { t } = useTexts();
  const { navigate } = useApp();
  return (
    <Form
      class="block beside"
      action={t('Join')}
      work={async ({ text }) => navigate(pathTo.invite(codeIn(text('invitation'))))}
    >
      <Field
        label={t('Invitation to a server')}
        name="invitation"
        placeholder={t('Link or code')}
        maxlength={500}
        required
      />
    </Form>
  );
}

const codeIn = (text: string): string => text.replace(/^.*\/invite\//, '').replace(/[/?#].*$/, '');
