import { useState } from 'preact/hooks';
import type { SmallUser } from '../../state/groups.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { PeoplePicker } from './PeoplePicker.tsx';

/** The most others in a group. */
export const mostOthers = 10;

/** Opens a conversation with one person, or a group. */
export function NewMessage({ onClose }: { onClose(): void }) {
  const { t } = useTexts();
  const { people } = useApp();
  const [chosen, setChosen] = useState<SmallUser[]>([]);
  const open = async ({ text }: Fields) => {
    const [first, ...rest] = chosen.map(({ id }) => id);
    if (first === undefined) throw new Error(t('Choose someone first.'));
    const name = text('name');
    await people.open(
      rest.length === 0 ? { userId: first } : { userIds: [first, ...rest], ...(name === '' ? {} : { name }) },
    );
    onClose();
  };
  return (
    <Dialog title={t('New message')} onClose={onClose}>
      <Form action={t('Open')} work={open}>
        <PeoplePicker chosen={chosen} without={[]} most={mostOthers} onChange={setChosen} />
        {chosen.length > 1 && (
          <Field
            label={t('Name of the group')}
            name="name"
            maxlength={100}
            hint={t(
              'Without a name, it is called after its members. A group you already have with these people opens instead.',
            )}
          />
        )}
      </Form>
    </Dialog>
  );
}
