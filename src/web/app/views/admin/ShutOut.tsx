import type { RestAnswer } from '../../../../client/index.ts';
import { Button } from '../parts/Button.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { lengths, untilOf } from '../server/CaseList.tsx';
import { useApp, useTexts } from '../useApp.ts';

export type Person = RestAnswer<'GET /api/operator/users'>[number];

interface ShutOutProps {
  person: Person;
  how: 'suspend' | 'ban';
  onClose(): void;
  onDone(): void;
}

/** Asks why and for how long someone is shut out. */
export function ShutOut({ person, how, onClose, onDone }: ShutOutProps) {
  const { labelled, t } = useTexts();
  const { client } = useApp();
  const isBan = how === 'ban';
  const work = async ({ text }: Fields) => {
    const given = { reason: text('reason') || null, until: untilOf(text('length')) };
    if (isBan) await client.rest('POST /api/operator/bans', { body: { userId: person.id, ...given } });
    else await client.rest('PUT /api/operator/users/:id/suspension', { id: person.id, body: given });
    onClose();
    onDone();
  };
  return (
    <Dialog
      title={
        isBan ? t('Ban {name}?', { name: person.displayName }) : t('Suspend {name}?', { name: person.displayName })
      }
      onClose={onClose}
    >
      <p>
        {t('They and their bots lose access at once.')}{' '}
        {isBan && t('New accounts with the same mailbox are refused too.')}
      </p>
      <Form
        action={isBan ? t('Ban') : t('Suspend')}
        work={work}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}
      >
        <Field label={t('Reason')} name="reason" maxlength={500} hint={t('They see this.')} />
        <Select label={t('How long')} name="length" options={labelled(lengths)} />
      </Form>
    </Dialog>
  );
}
