import { useState } from 'preact/hooks';
import type { ServerRecord } from '../../../../client/index.ts';
import type { RoleRecord } from '../../state/roles.ts';
import type { Standing } from '../../state/standing.ts';
import { Button } from '../parts/Button.tsx';
import { ColorField } from '../parts/ColorField.tsx';
import { Dialog } from '../parts/Dialog.tsx';
import { Check, Field } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';
import { type Given, permissionGroups, wordsFor } from './permission-words.ts';
import { nameOf } from './RoleBadge.tsx';

interface RoleDialogProps {
  server: ServerRecord;
  /** Null: a new one. */
  role: RoleRecord | null;
  mine: Standing;
  onClose(): void;
}

/** Makes or changes a role: its name, its colour, and what it lets people do. */
export function RoleDialog({ server, role, mine, onClose }: RoleDialogProps) {
  const texts = useTexts();
  const { t } = texts;
  const { client, roles } = useApp();
  const { id } = server;
  const [color, setColor] = useState(role?.color ?? null);
  const given = new Set(role?.permissions ?? []);
  // Nobody gives what they do not have. What is given stays, if it is not taken.
  const isLocked = (name: Given) => !mine.may(name) && !given.has(name);
  const isAll = role?.builtIn === true && role.id === 'admin';
  const save = async ({ text, isChecked }: Fields) => {
    const chosen = permissionGroups.flatMap(({ names }) => names).filter((name) => !isLocked(name) && isChecked(name));
    const permissions = isAll ? {} : { permissions: chosen };
    const name = text('name');
    if (!role) await client.rest('POST /api/servers/:id/roles', { id, body: { name, color, ...permissions } });
    else {
      const body = role.builtIn ? { color, ...permissions } : { name, color, ...permissions };
      await client.rest('PATCH /api/servers/:id/roles/:roleId', { id, roleId: role.id, body });
    }
    await roles.load(id);
    onClose();
  };
  return (
    <Dialog
      title={role ? t('Edit {name}', { name: nameOf(texts, role) }) : t('New role')}
      size="wide"
      onClose={onClose}
    >
      <Form
        action={role ? t('Save') : t('Create the role')}
        work={save}
        beside={<Button label={t('Cancel')} kind="quiet" onClick={onClose} />}
      >
        {!role?.builtIn && (
          <Field label={t('Name')} name="name" maxlength={100} value={role?.name ?? ''} required autofocus />
        )}
        <ColorField label={t('Give it a colour')} color={color} onChange={setColor} />
        {isAll ? (
          <p class="faint">{t('Admins may do everything but delete the server and hand it over.')}</p>
        ) : (
          permissionGroups.map(({ title, names }) => (
            <fieldset key={title} class="choices permissions">
              <legend>{t(title)}</legend>
              {names.map((name) => (
                <Check
                  key={name}
                  name={name}
                  label={t(wordsFor(name))}
                  checked={given.has(name)}
                  disabled={isLocked(name)}
                />
              ))}
            </fieldset>
          ))
        )}
      </Form>
    </Dialog>
  );
}
