import type { TargetedPointerEvent } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { PictureShape } from '../../state/pictures.ts';
import type { Texts } from '../../state/texts.ts';
import { errorText } from '../../state/toasts.ts';
import { useTexts } from '../useApp.ts';
import { Button } from './Button.tsx';
import { type Crop, cropOf, middle, moved } from './crop.ts';
import { Dialog } from './Dialog.tsx';
import { Problem } from './Form.tsx';

/** The largest size that the server keeps, in pixels. */
const largest = { square: [512, 512], banner: [1500, 500] } as const;

interface CropDialogProps {
  file: File;
  shape: PictureShape;
  onClose(): void;
  onDone(picture: Blob): void;
}

/** Lets the user choose which part of a picture is shown. */
export function CropDialog({ file, shape, onClose, onDone }: CropDialogProps) {
  const texts = useTexts();
  const { t } = texts;
  const [image, setImage] = useState<ImageBitmap | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [view, setView] = useState(middle);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, height] = largest[shape];
  useEffect(() => {
    let opened: ImageBitmap | undefined;
    createImageBitmap(file).then(
      (bitmap) => {
        opened = bitmap;
        setImage(bitmap);
      },
      () => setError(t('This browser cannot show this file; choose a PNG, JPEG, GIF or WebP file.')),
    );
    return () => opened?.close();
  }, [file]);
  const crop = image && cropOf(image, width / height, view);
  useEffect(() => {
    if (image && crop && canvas.current) draw(canvas.current, image, crop);
  });
  const drag = (event: TargetedPointerEvent<HTMLCanvasElement>) => {
    if (!image || !crop || event.buttons !== 1) return;
    const scale = crop.width / event.currentTarget.clientWidth;
    setView(moved(view, image, crop, -event.movementX * scale, -event.movementY * scale));
  };
  const use = () => {
    if (image && crop)
      pictureOf(texts, image, crop, width).then(onDone, (reason) => setError(errorText(reason, texts)));
  };
  return (
    <Dialog title={t('Choose what is shown')} onClose={onClose}>
      <canvas
        ref={canvas}
        class={`crop ${shape}`}
        width={width}
        height={height}
        role="img"
        aria-label={t('The part that is shown')}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
      />
      <Slider label={t('Zoom')} min={1} max={4} value={view.zoom} onInput={(zoom) => setView({ ...view, zoom })} />
      <Slider label={t('Left to right')} min={0} max={1} value={view.x} onInput={(x) => setView({ ...view, x })} />
      <Slider label={t('Top to bottom')} min={0} max={1} value={view.y} onInput={(y) => setView({ ...view, y })} />
      <Problem text={error} />
      <footer>
        <Button label={t('Cancel')} kind="quiet" onClick={onClose} />
        <Button label={t('Use this part')} disabled={!image} onClick={use} />
      </footer>
    </Dialog>
  );
}

interface SliderProps {
  label: string;
  min: number;
  max: number;
  value: number;
  onInput(value: number): void;
}

function Slider({ label, value, onInput, ...range }: SliderProps) {
  const id = useId();
  return (
    <div class="field slider">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="range"
        // The dialog is within a form, which Enter here must not send.
        form=""
        step={0.01}
        {...range}
        value={value}
        onInput={(event) => onInput(event.currentTarget.valueAsNumber)}
      />
    </div>
  );
}

function draw(canvas: HTMLCanvasElement, image: ImageBitmap, { left, top, width, height }: Crop): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  context.imageSmoothingQuality = 'high';
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, left, top, width, height, 0, 0, canvas.width, canvas.height);
}

/** @returns the part as a file of its own, without what the original says of places and cameras */
function pictureOf({ t }: Texts, image: ImageBitmap, crop: Crop, maxWidth: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  const scale = Math.min(1, maxWidth / crop.width);
  canvas.width = Math.max(1, Math.round(crop.width * scale));
  canvas.height = Math.max(1, Math.round(crop.height * scale));
  draw(canvas, image, crop);
  return new Promise((resolve, reject) => {
    // Browsers that cannot write WebP write PNG.
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error(t('This picture is too large for this browser.')))),
      'image/webp',
      0.92,
    );
  });
}
