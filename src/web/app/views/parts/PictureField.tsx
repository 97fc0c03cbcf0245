import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { PictureShape } from '../../state/pictures.ts';
import { useApp, useTexts } from '../useApp.ts';
import { Button } from './Button.tsx';
import { CropDialog } from './CropDialog.tsx';
import { Picture } from './Picture.tsx';

const accepted = 'image/png,image/jpeg,image/gif,image/webp,image/avif';

interface PictureFieldProps {
  label: string;
  shape: PictureShape;
  url: string | null;
  /** Sets it at once; null takes it away. */
  onChange(url: string | null): Promise<unknown>;
  /** In place of a picture. */
  children?: ComponentChildren;
}

/** Shows a picture, and lets the user upload another one or take it away. */
export function PictureField({ label, shape, url, onChange, children }: PictureFieldProps) {
  const { t } = useTexts();
  const { attempt, pictures, showToast } = useApp();
  const [chosen, setChosen] = useState<File | null>(null);
  const [busy, setBusy] = useState(false);
  const set = async (work: () => Promise<string | null>) => {
    setBusy(true);
    const done = await attempt(async () => onChange(await work()));
    setBusy(false);
    if (done) showToast(t('{label}: saved.', { label }));
  };
  const send = (picture: Blob) => set(() => pictures.upload(picture, shape));
  const choose = (file: File) => {
    // What is drawn here does not move; the server cuts it from the middle.
    if (file.type === 'image/gif') void send(file);
    else setChosen(file);
  };
  return (
    <div class="field picture-field">
      <span class="label">{label}</span>
      <span class={`shown ${shape}`} aria-hidden="true">
        <Picture url={url} size="large">
          {children}
        </Picture>
      </span>
      <span class="picture-buttons">
        <label class="button quiet upload" aria-busy={busy}>
          {busy ? t('One moment…') : t('Choose a file')}
          <input
            type="file"
            class="hidden"
            aria-label={t('{label}: choose a file', { label })}
            accept={accepted}
            disabled={busy}
            onChange={({ currentTarget }) => {
              const [file] = currentTarget.files ?? [];
              if (file) choose(file);
              currentTarget.value = '';
            }}
          />
        </label>
        {url && (
          <Button
            label={t('Remove: {label}', { label })}
            kind="quiet"
            disabled={busy}
            onClick={() => void set(async () => null)}
          />
        )}
      </span>
      {chosen && (
        <CropDialog
          file={chosen}
          shape={shape}
          onClose={() => setChosen(null)}
          onDone={(picture) => {
            setChosen(null);
            void send(picture);
          }}
        />
      )}
    </div>
  );
}
