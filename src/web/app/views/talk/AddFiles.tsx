import { Icon } from '../parts/Icon.tsx';
import { RecordVoice } from './RecordVoice.tsx';

interface AddFilesProps {
  /** Why no files can be added. */
  withheld?: string | null;
  onChoose(files: readonly File[]): void;
}

export function AddFiles({ withheld = null, onChoose }: AddFilesProps) {
  return (
    <>
      <label class={withheld ? 'icon attach withheld' : 'icon attach'} title={withheld ?? 'Add files'}>
        <Icon name="add" />
        <input
          type="file"
          class="hidden"
          aria-label={withheld ?? 'Add files'}
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
