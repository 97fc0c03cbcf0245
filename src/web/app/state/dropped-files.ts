/** A file that was dropped, with the folders that it lay in. */
export interface DroppedFile {
  folders: string[];
  file: File;
}

/** Deeper than this a server keeps no folders either. */
const deepest = 30;

/** All files of what was dropped, folders opened. It has to be asked in the very turn of the event. */
export async function droppedFiles(transfer: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files].map((file) => ({ folders: [], file }));
  // Nothing but files, or nothing is known of folders. Not all that browsers call an entry can be opened as one.
  if (!entries.some((entry) => entry?.isDirectory)) return plain;
  const found: DroppedFile[] = [];
  for (const entry of entries) if (entry) await collect(entry, [], found);
  return found;
}

async function collect(entry: FileSystemEntry, folders: string[], found: DroppedFile[]): Promise<void> {
  if (entry instanceof FileSystemFileEntry) {
    found.push({ folders, file: await new Promise<File>((resolve, reject) => entry.file(resolve, reject)) });
  } else if (entry instanceof FileSystemDirectoryEntry && folders.length < deepest) {
    for (const inner of await contentOf(entry)) await collect(inner, [...folders, entry.name], found);
  }
}

/** A reader gives some at a time, and nothing when it is through. */
async function contentOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return all;
    all.push(...some);
  }
}
