import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Select } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { useLoaded } from '../parts/loading.ts';
import { useApp, useTexts } from '../useApp.ts';
import { Facts } from './Facts.tsx';
import type { Person } from './ShutOut.tsx';

interface Props {
  person: Person;
  onClose(): void;
  onDone(): void;
}

/** An account, and what an operator may do about it without shutting anyone out. */
export function AccountDialog({ person, onClose, onDone }: Props) {
  const { number, shortTime, t } = useTexts();
  const { client, showToast } = useApp();
  const { id, username, displayName, email, verified, sessions, createdAt } = person;
  const signOut = async (tokens: boolean) => {
    const { ended } = await client.rest('POST /api/operator/users/:id/sign-out', { id, body: { tokens } });
    showToast(t('Sessions and tokens that have ended: {count}', { count: number(ended) }));
    onDone();
  };
  const mailReset = async () => {
    await client.rest('POST /api/operator/users/:id/password-reset', { id });
    showToast(t('The link is being mailed.'));
  };
  return (
    <Dialog title={t('Account of {name}', { name: displayName })} onClose={onClose}>
      <Facts
        facts={[
          [t('Username'), `@${username}`],
          [t('E-mail address'), email ? `${email} (${verified ? t('confirmed') : t('not confirmed')})` : t('none')],
          [t('Created'), shortTime(createdAt)],
          [t('Sessions'), number(sessions)],
        ]}
      />
      <Form class="task" action={t('Sign out everywhere')} work={({ isChecked }) => signOut(isChecked('tokens'))}>
        <Check name="tokens" label={t('Also tokens of all kinds, and those of their bots')} />
      </Form>
      <Form class="task" action={t('Mail a link for a new password')} work={mailReset} ready={email !== null} />
      <Tier person={person} onDone={onDone} />
      <footer class="form">
        <Button label={t('Close')} kind="quiet" onClick={onClose} />
      </footer>
    </Dialog>
  );
}

function Tier({ person: { id, tier }, onDone }: Pick<Props, 'person' | 'onDone'>) {
  const { t } = useTexts();
  const { client, showToast } = useApp();
  const { value } = useLoaded(() => client.rest('GET /api/operator/overview'), []);
  if (!value) return null;
  const options = value.tiers.map(({ id: name, label }) => ({ value: name, label }));
  return (
    <Form
      class="task"
      action={t('Change the tier')}
      work={async ({ text }) => {
        await client.rest('PUT /api/operator/users/:id/tier', { id, body: { tier: text('tier') } });
        showToast(t('Saved'));
        onDone();
      }}
    >
      <Select label={t('Tier')} name="tier" value={tier} options={options} />
    </Form>
  );
}
