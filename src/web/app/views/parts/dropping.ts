import { useState } from 'preact/hooks';
import { useApp } from '../useApp.ts';

const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') ?? false;

/** Accepts dropped files. @returns whether some are dragged over it, and the event handlers */
export function useDrop(onFiles: (files: DroppedFile[]) => Promise<void>) {
  const { attempt } = useApp();
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
      // A folder that they were dropped on has taken them.
      if (!dataTransfer || !hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      void attempt(async () => onFiles(await droppedFiles(dataTransfer)));
    },
  };
}

/** Keeps the browser from opening a file that is dropped outside of a target. */
export function preventFileDrop(event: DragEvent): void {
  if (event.defaultPrevented || !event.dataTransfer || !hasFiles(event)) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = 'none';
}

/** A dropped file, with the folders that it was in. */
export interface DroppedFile {
  folders: string[];
  file: File;
}

/** The server allows no deeper folders either. */
const maxDepth = 30;

/** All files of a drop, from folders too. Must be called synchronously in the event. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map((file) => ({ folders: [], file }));
  // Only files, or no information about folders. Not every entry can be opened as one.
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found: DroppedFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, [], found);
  return found;
}

async function collect(entry: FileSystemEntry, folders: string[], found: DroppedFile[]): Promise<void> {
  if (isFile(entry)) {
    found.push({ folders, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
  } else if (isFolder(entry) && folders.length < maxDepth) {
    for (const inner of await contentOf(entry)) await collect(inner, [...folders, entry.name], found);
  }
}

// What an entry says of itself: not every browser has the classes by name.
const isFile = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile;
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory;

/** Whether people can choose a folder here; most phones have none to choose. */
export const canChooseFolders = (): boolean => 'webkitdirectory' in HTMLInputElement.prototype;

/** Lets someone choose a folder. @param onFiles gets all files in it, and its own name as their first folder */
export function chooseFolder(onFiles: (files: DroppedFile[]) => void): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.webkitdirectory = true;
  input.addEventListener('change', () => onFiles([...(input.files ?? [])].map(inItsFolders)));
  input.click();
}

function inItsFolders(file: File): DroppedFile {
  const folders = file.webkitRelativePath.split('/').slice(0, -1);
  return { folders: folders.slice(0, maxDepth), file };
}

/** A reader returns some at a time, and none when it is done. */
async function contentOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
