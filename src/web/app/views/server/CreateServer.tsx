import { go, pathTo } from '../../state/router.ts';
import { createServer } from '../../state/servers.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

export function CreateServer({ onClose }: { onClose(): void }) {
  const create = async ({ text, isChecked }: Fields) => {
    const server = await createServer({ name: text('name'), isPublic: isChecked('isPublic') });
    onClose();
    go(pathTo.server(server.id));
  };
  return (
    <Dialog title="Create a server" onClose={onClose}>
      <Form action="Create" work={create}>
        <Field label="Name" name="name" maxlength={100} required autofocus />
        <Check label="Anyone may find and join it" name="isPublic" />
      </Form>
    </Dialog>
  );
}
