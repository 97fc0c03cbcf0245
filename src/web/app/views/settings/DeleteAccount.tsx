import { useState } from 'preact/hooks';
import type { RestAnswer } from '../../../../client/index.ts';
import type { Message } from '../../../../languages/catalogue.ts';
import { pathTo } from '../../state/router.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form, isTyped } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { Block } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** Deleting one's account, and what goes with it. */
export function DeleteAccount() {
  const { t } = useTexts();
  const [asking, setAsking] = useState(false);
  return (
    <Block
      title={t('Delete the account')}
      about={t(
        'You are signed out everywhere at once. Sign in within a week to keep it; after that it is gone for good.',
      )}
    >
      <Button label={t('Delete the account')} kind="danger" onClick={() => setAsking(true)} />
      {asking && <ConfirmDeletion onClose={() => setAsking(false)} />}
    </Block>
  );
}

const choices: { value: string; label: Message }[] = [
  { value: 'keep', label: 'Keep them, shown as “Deleted user”' },
  { value: 'erase', label: 'Delete them too, with their files' },
];

/** The name is typed to confirm, since after a week this cannot be undone. */
function ConfirmDeletion({ onClose }: { onClose(): void }) {
  const { dayOfYear, labelled, t } = useTexts();
  const { account, client, me } = useApp();
  const end = async ({ text }: Fields) => {
    if (!isTyped(text('name').replace(/^@/, ''), me.value?.username ?? ''))
      throw new Error(t('That is not your username.'));
    const messages = text('messages') === 'erase' ? 'erase' : 'keep';
    const { deletesAt } = await client.rest('DELETE /api/auth/me', { body: { messages } });
    const day = dayOfYear(deletesAt);
    account.left(t('Your account will be deleted on {day}. Sign in before to keep it.', { day }));
  };
  const { value: agents } = useLoaded(() => client.rest('GET /api/agents'), []);
  const { value: offers } = useLoaded(() => client.rest('GET /api/handovers'), []);
  return (
    <Dialog title={t('Delete your account?')} onClose={onClose}>
      {agents && offers ? (
        <>
          <Possessions agents={agents} offers={offers} />
          <Form action={t('Delete the account')} class="grave" work={end}>
            <Select label={t('Your messages')} name="messages" options={labelled(choices)} />
            <Field
              label={t('Type “{name}” to confirm', { name: me.value?.username ?? '' })}
              name="name"
              required
              autofocus
            />
          </Form>
        </>
      ) : (
        <p class="faint">{t('One moment…')}</p>
      )}
    </Dialog>
  );
}

interface PossessionsProps {
  agents: RestAnswer<'GET /api/agents'>;
  offers: RestAnswer<'GET /api/handovers'>;
}

/** What the user owns: it goes to those who accept it in time, or is deleted. */
function Possessions({ agents, offers }: PossessionsProps) {
  const { t } = useTexts();
  const { servers } = useApp();
  const owned = servers.list.value.filter(({ role }) => role === 'owner');
  if (owned.length + agents.length === 0) return null;
  const takerOf = (id: string) => offers.sent.find(({ serverId, agentId }) => (serverId ?? agentId) === id)?.to;
  const entries = [
    ...owned.map(({ id, name }) => ({ id, name, href: pathTo.manage(id, 'overview') })),
    ...agents.map(({ id, displayName }) => ({ id, name: displayName, href: pathTo.agent(id) })),
  ];
  return (
    <>
      <p>{t('What you own is deleted too, unless you hand it over and they accept:')}</p>
      <ul>
        {entries.map(({ id, name, href }) => (
          <li key={id}>
            <a href={href}>{name}</a>{' '}
            {takerOf(id)
              ? t('is offered to {displayName}', { displayName: takerOf(id)?.displayName })
              : t('will be deleted')}
          </li>
        ))}
      </ul>
    </>
  );
}
