import { useState } from 'preact/hooks';
import { Avatar } from '../parts/Avatar.tsx';
import { Button, More } from '../parts/Button.tsx';
import { Field } from '../parts/Field.tsx';
import { Form } from '../parts/Form.tsx';
import { usePages } from '../parts/loading.ts';
import { Block, Row } from '../parts/Page.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { AccountDialog } from './AccountDialog.tsx';
import { type Person, ShutOut } from './ShutOut.tsx';

const pageSize = 50;

/** Accounts, to be found, and what may be done about them. */
export function People() {
  const { t } = useTexts();
  const { client } = useApp();
  const [search, setSearch] = useState('');
  const { list, load, onMore } = usePages<Person>(
    pageSize,
    (known) => client.rest('GET /api/operator/users', { query: { search, limit: pageSize, cursor: known.at(-1)?.id } }),
    [search],
  );
  return (
    <Block title={t('People')} about={t('The newest accounts. Search by name or e-mail.')}>
      <Form action={t('Search')} work={async ({ text }) => setSearch(text('search'))}>
        <Field label={t('Name or e-mail')} name="search" maxlength={320} />
      </Form>
      {list?.length === 0 && <p class="empty">{t('No account matches.')}</p>}
      <ul class="people">
        {list?.map((person) => (
          <PersonRow key={person.id} person={person} load={load} />
        ))}
      </ul>
      {onMore && <More onMore={onMore} />}
    </Block>
  );
}

function PersonRow({ person, load }: { person: Person; load(): Promise<void> }) {
  const { t } = useTexts();
  const { client, me, attempt } = useApp();
  const isOther = person.id !== me.value?.id;
  const [asking, setAsking] = useState<'suspend' | 'ban' | 'account' | null>(null);
  const close = () => setAsking(null);
  const again = () => void attempt(load);
  const { id, username, email, suspended, isBot, isOperator, tier } = person;
  const is = [isBot ? t('bot') : tier, isOperator && t('Operator'), suspended && t('Suspended')];
  const about = [`@${username}`, email, ...is].filter(Boolean).join(' · ');
  return (
    <Row picture={<Avatar user={person} />} name={person.displayName} about={about}>
      <span class="row-actions">
        {!isBot && suspended && (
          <Button
            label={t('Lift the suspension')}
            kind="quiet"
            onClick={() =>
              void attempt(() => client.rest('DELETE /api/operator/users/:id/suspension', { id })).then(again)
            }
          />
        )}
        {!isBot && isOther && !suspended && (
          <Button label={t('Suspend')} kind="quiet" onClick={() => setAsking('suspend')} />
        )}
        {!isBot && <Button label={t('Account')} kind="quiet" onClick={() => setAsking('account')} />}
        {!isBot && isOther && <Button label={t('Ban')} kind="danger" onClick={() => setAsking('ban')} />}
      </span>
      {asking === 'account' && <AccountDialog person={person} onClose={close} onDone={again} />}
      {(asking === 'suspend' || asking === 'ban') && (
        <ShutOut person={person} how={asking} onClose={close} onDone={again} />
      )}
    </Row>
  );
}
