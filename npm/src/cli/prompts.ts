// The questions that ./ask.ts uses: a file of its own, so that a bundle has these and no others.
export { confirm, input, password } from "@inquirer/prompts";
