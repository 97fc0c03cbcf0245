import type { ChannelRecord } from '../../../../client/index.ts';
import { createCategory, deleteCategory, moveChannel, renameCategory } from '../../state/arranging.ts';
import type { CategoryRecord } from '../../state/categories.ts';
import type { Texts } from '../../state/texts.ts';
import { Confirm, Dialog } from '../parts/Dialog.tsx';
import { Field, Select } from '../parts/Field.tsx';
import { type Fields, Form } from '../parts/Form.tsx';
import { useApp, useTexts } from '../useApp.ts';

/** What someone is about to do with the categories of a server. */
export type CategoryTask =
  | { what: 'create'; serverId: string }
  | { what: 'rename' | 'delete'; serverId: string; category: CategoryRecord }
  | { what: 'place'; serverId: string; channel: ChannelRecord };

export function CategoryDialogs({ task, onClose }: { task: CategoryTask; onClose(): void }) {
  const { t } = useTexts();
  const app = useApp();
  const { serverId } = task;
  if (task.what === 'place') return <PlaceChannel serverId={serverId} channel={task.channel} onClose={onClose} />;
  if (task.what === 'delete') {
    const { id, name } = task.category;
    return (
      <Confirm
        title={t('Delete the category {name}?', { name })}
        text={t('Its channels are kept, without a category.')}
        action={t('Delete')}
        onClose={onClose}
        onConfirm={() => void app.attempt(() => deleteCategory(app, serverId, id))}
      />
    );
  }
  const category = task.what === 'rename' ? task.category : null;
  const save = async ({ text }: Fields) => {
    if (category) await renameCategory(app, serverId, category.id, text('name'));
    else await createCategory(app, serverId, text('name'));
    onClose();
  };
  return (
    <Dialog
      title={category ? t('Rename the category {name}', { name: category.name }) : t('New category')}
      onClose={onClose}
    >
      <Form action={category ? t('Save') : t('Create')} work={save}>
        <Field label={t('Name')} name="name" maxlength={100} value={category?.name ?? ''} required autofocus />
      </Form>
    </Dialog>
  );
}

/** The choice of a category of a server; '': none. */
export function categoryOptions({ t }: Texts, list: readonly CategoryRecord[]) {
  return [{ value: '', label: t('No category') }, ...list.map(({ id, name }) => ({ value: id, label: name }))];
}

interface PlaceProps {
  serverId: string;
  channel: ChannelRecord;
  onClose(): void;
}

function PlaceChannel({ serverId, channel, onClose }: PlaceProps) {
  const texts = useTexts();
  const { t } = texts;
  const app = useApp();
  const save = async ({ raw }: Fields) => {
    const categoryId = raw('category') || null;
    if (categoryId !== channel.categoryId) await moveChannel(app, serverId, channel.id, { categoryId, before: null });
    onClose();
  };
  return (
    <Dialog title={t('Move #{name}', { name: channel.name })} onClose={onClose}>
      <Form action={t('Move')} work={save}>
        <Select
          label={t('Category')}
          name="category"
          options={categoryOptions(texts, app.categories.of(serverId))}
          value={channel.categoryId ?? ''}
        />
      </Form>
    </Dialog>
  );
}
