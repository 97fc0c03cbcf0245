import { useState } from 'preact/hooks';
import { type DroppedFile, droppedFiles } from '../../state/dropped-files.ts';
import { attempt } from '../../state/toasts.ts';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** Takes files that are dropped. @returns whether some are held over it, and what listens */
export function useDrop(onFiles: (files: DroppedFile[]) => Promise<void>) {
  const [over, setOver] = useState(false);
  return {
    over,
    onDragLeave: () => setOver(false),
    onDragOver(event: DragEvent) {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    },
    onDrop(event: DragEvent) {
      setOver(false);
      const { dataTransfer } = event;
      if (!dataTransfer || !hasFiles(event)) return;
      event.preventDefault();
      void attempt(async () => onFiles(await droppedFiles(dataTransfer)));
    },
  };
}

/** A file that misses its aim does not take the place of the app. */
export function refuseFiles(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}
