import { Icon } from '../parts/Icon.tsx';
import { useTexts } from '../useApp.ts';
import { RecordVoice } from './RecordVoice.tsx';

interface AddFilesProps {
  /** Why no files can be added. */
  withheld?: string | null;
  onChoose(files: readonly File[]): void;
}

export function AddFiles({ withheld = null, onChoose }: AddFilesProps) {
  const { t } = useTexts();
  return (
    <>
      <label class={withheld ? 'icon attach withheld' : 'icon attach'} title={withheld ?? t('Add files')}>
        <Icon name="add" />
        <input
          type="file"
          class="hidden"
          aria-label={withheld ?? t('Add files')}
          disabled={withheld !== null}
          multiple
          onChange={(event) => {
            onChoose([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {withheld === null && <RecordVoice onRecorded={onChoose} />}
    </>
  );
}
