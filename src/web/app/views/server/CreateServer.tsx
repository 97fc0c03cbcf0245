import { pathTo } from '../../state/router.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

export function CreateServer({ onClose }: { onClose(): void }) {
  const { t } = useTexts();
  const { servers, navigate } = useApp();
  const create = async ({ text, isChecked }: Fields) => {
    const server = await servers.create({ name: text('name'), isPublic: isChecked('isPublic') });
    onClose();
    navigate(pathTo.server(server.id));
  };
  return (
    <Dialog title={t('Create a server')} onClose={onClose}>
      <Form action={t('Create')} work={create}>
        <Field label={t('Name')} name="name" maxlength={100} required autofocus />
        <Check label={t('Anyone can find and join it')} name="isPublic" />
      </Form>
    </Dialog>
  );
}
