import { useState } from 'preact/hooks';
import { type DmChannel, type Group, othersIn, type SmallUser } from '../../state/groups.ts';
import { Avatar } from '../parts/Avatar.tsx';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import type { MenuItem } from '../parts/Menu.tsx';
import { Row } from '../parts/Page.tsx';
import { useApp } from '../useApp.ts';
import { mostOthers } from './NewMessage.tsx';
import { PeoplePicker } from './PeoplePicker.tsx';

/** What someone is about to do with a conversation. */
export type DmTask = 'people' | 'add' | 'rename' | 'turn' | 'leave';

/** What can be done with a conversation of people. */
export function dmItems(dm: DmChannel, onTask: (task: DmTask) => void): MenuItem[] {
  const add: MenuItem = { label: 'Add people', icon: 'add', run: () => onTask('add') };
  if (dm.kind === 'dm') return [add];
  return [
    add,
    { label: 'Name the group', icon: 'edit', run: () => onTask('rename') },
    { label: 'Turn into a channel', icon: 'hash', run: () => onTask('turn') },
    { label: 'Leave the group', icon: 'leave', danger: true, run: () => onTask('leave') },
  ];
}

interface DialogsProps {
  dm: DmChannel;
  task: DmTask;
  onClose(): void;
}

export function DmDialogs({ dm, task, onClose }: DialogsProps) {
  const { people, attempt } = useApp();
  if (task === 'add') return <AddPeople dm={dm} onClose={onClose} />;
  if (dm.kind === 'dm') return null;
  if (task === 'people') return <GroupPeople group={dm} onClose={onClose} />;
  if (task === 'rename') return <RenameGroup group={dm} onClose={onClose} />;
  if (task === 'turn') return <TurnGroup group={dm} onClose={onClose} />;
  return (
    <Confirm
      title="Leave this group?"
      text="You can no longer read it. What you wrote stays there for the others, and nobody can add you to it again."
      action="Leave"
      onClose={onClose}
      onConfirm={() => void attempt(() => people.leaveGroup(dm.id))}
    />
  );
}

function AddPeople({ dm, onClose }: { dm: DmChannel; onClose(): void }) {
  const { people, me } = useApp();
  const [chosen, setChosen] = useState<SmallUser[]>([]);
  const there = othersIn(dm, me.value?.id).map(({ id }) => id);
  const add = async () => {
    if (chosen.length === 0) throw new Error('Choose someone first.');
    await people.openWith(
      dm.id,
      chosen.map(({ id }) => id),
    );
    onClose();
  };
  return (
    <Dialog title="Add people" onClose={onClose}>
      <p class="faint">This opens another group, so that nobody gets to read what you wrote before.</p>
      <Form action="Open the group" work={add}>
        <PeoplePicker chosen={chosen} without={there} most={mostOthers - there.length} onChange={setChosen} />
      </Form>
    </Dialog>
  );
}

function RenameGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const { people } = useApp();
  const save = async ({ text }: Fields) => {
    await people.renameGroup(group.id, text('name') || null);
    onClose();
  };
  return (
    <Dialog title="Name the group" onClose={onClose}>
      <Form action="Save" work={save}>
        <Field
          label="Name"
          name="name"
          maxlength={100}
          value={group.name}
          hint="Everyone in it sees it. Without one it is called by who is in it."
          autofocus
        />
      </Form>
    </Dialog>
  );
}

function GroupPeople({ group, onClose }: { group: Group; onClose(): void }) {
  return (
    <Dialog title={`People · ${group.members.length}`} onClose={onClose}>
      <ul class="people">
        {group.members.map((user) => (
          <Row
            key={user.id}
            picture={<Avatar user={user} present />}
            name={user.displayName}
            about={`@${user.username}`}
          />
        ))}
      </ul>
    </Dialog>
  );
}

function TurnGroup({ group, onClose }: { group: Group; onClose(): void }) {
  const { people, servers, rights } = useApp();
  const places = servers.list.value.filter((server) => rights.may(server, 'channel:create'));
  const turn = async ({ raw, text }: Fields) => {
    await people.turnGroup(group.id, { serverId: raw('server'), name: text('name') });
    onClose();
  };
  return (
    <Dialog title="Turn into a channel" onClose={onClose}>
      {places.length === 0 ? (
        <p>You may create channels in none of your servers.</p>
      ) : (
        <Form action="Turn into a channel" work={turn}>
          <p class="note">
            It becomes a private channel with everything that was written. Those who run the server can see it then, and
            its rules apply. Everyone in the group has to be a member of the server; bots leave. This cannot be undone.
          </p>
          <Select label="Server" name="server" options={places.map(({ id, name }) => ({ value: id, label: name }))} />
          <Field label="Name" name="name" maxlength={100} value={group.name} required />
        </Form>
      )}
    </Dialog>
  );
}
