import type { ChannelRecord } from '../../../../client/index.ts';
import { parley } from '../../state/client.ts';
import { go, pathTo } from '../../state/router.ts';
import { createChannel, loadChannels } from '../../state/servers.ts';
import { attempt } from '../../state/toasts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Check, Field, Select, TextArea } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { ChannelMembers } from './MemberList.tsx';

/** What someone who runs a server is about to do with a channel. */
export interface ChannelTask {
  what: 'edit' | 'members' | 'archive' | 'delete';
  channel: ChannelRecord;
}

export function ChannelDialogs({ task, onClose }: { task: ChannelTask; onClose(): void }) {
  const { what, channel } = task;
  const { id, serverId, name } = channel;
  const run = (work: () => Promise<unknown>) =>
    void attempt(async () => {
      await work();
      if (serverId) await loadChannels(serverId);
    });
  if (what === 'edit') return <EditChannel channel={channel} onClose={onClose} />;
  if (what === 'members') return <ChannelMembers channel={channel} onClose={onClose} />;
  if (what === 'archive') {
    return (
      <Confirm
        title={`Archive #${name}?`}
        text="It leaves the lists. What was said is kept, and you can bring it back."
        action="Archive"
        onClose={onClose}
        onConfirm={() => run(() => parley.rest('POST /api/channels/:id/archive', { id }))}
      />
    );
  }
  return (
    <Confirm
      title={`Delete #${name}?`}
      text="Everything that was said there is gone for everyone, and it does not come back."
      action="Delete"
      onClose={onClose}
      onConfirm={() => run(() => parley.rest('DELETE /api/channels/:id', { id }))}
    />
  );
}

function EditChannel({ channel, onClose }: { channel: ChannelRecord; onClose(): void }) {
  const save = async ({ text }: Fields) => {
    const body = { name: text('name'), topic: text('topic') || null };
    await parley.rest('PATCH /api/channels/:id', { id: channel.id, body });
    if (channel.serverId) await loadChannels(channel.serverId);
    onClose();
  };
  return (
    <Dialog title={`Edit #${channel.name}`} onClose={onClose}>
      <Form action="Save" work={save}>
        <Field label="Name" name="name" maxlength={100} value={channel.name} required autofocus />
        <TextArea label="What it is about" name="topic" maxlength={1024} value={channel.topic ?? ''} />
      </Form>
    </Dialog>
  );
}

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
