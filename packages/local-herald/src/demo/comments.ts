import type { Comment } from './demo-events.ts'

export type KeptComment = Comment & { readonly createdAt: string }

/** Keeps the newest comments in memory, so that every window can show them and their authors can delete them. */
export function createComments(capacity = 50) {
  let kept: readonly KeptComment[] = []
  return {
    add(comment: KeptComment): void {
      kept = [comment, ...kept].slice(0, capacity)
    },
    find: (id: string) => kept.find((comment) => comment.id === id),
    remove(id: string): void {
      kept = kept.filter((comment) => comment.id !== id)
    },
    /** The newest first. */
    list: () => kept,
  }
}
