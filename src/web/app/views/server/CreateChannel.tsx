import { go, pathTo } from '../../state/router.ts';
import { createChannel } from '../../state/servers.ts';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';

const types = [
  { value: 'text', label: 'Text: everyone writes' },
  { value: 'announcement', label: 'Announcements: only admins write' },
];

export function CreateChannel({ serverId, onClose }: { serverId: string; onClose(): void }) {
  const create = async ({ text, raw, isChecked }: Fields) => {
    const channel = await createChannel(serverId, {
      name: text('name'),
      topic: text('topic') || null,
      type: raw('type') === 'announcement' ? 'announcement' : 'text',
      isPrivate: isChecked('isPrivate'),
    });
    onClose();
    go(pathTo.channel(serverId, channel.id));
  };
  return (
    <Dialog title="Create a channel" onClose={onClose}>
      <Form action="Create" work={create}>
        <Field label="Name" name="name" maxlength={100} required autofocus />
        <Field label="What it is about" name="topic" maxlength={1024} hint="May be left out." />
        <Select label="Kind" name="type" options={types} />
        <Check label="Private: only those who are added see it" name="isPrivate" />
      </Form>
    </Dialog>
  );
}
