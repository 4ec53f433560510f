// For tests of what is built on this package.
export { QuestionList } from "./host/human.js";
export { MemoryDisk, MemoryStore } from "./store/memory.js";
