#!/bin/sh
# SPDX-License-Identifier: MIT
# How the fixtures beside this file were made: Debian bookworm (gcc 12.2, qemu-user 7.2) for the
# programs and the 7.2 logs; Debian trixie (qemu-user 10.0) for the 10.0 logs, with only the
# second half. Run in this folder: sh make.sh build; sh make.sh objects; sh make.sh log <version>
set -eu
FLAGS="-O2 -ffreestanding -fno-pie -fno-stack-protector -fno-asynchronous-unwind-tables \
	-fno-tree-loop-distribute-patterns"
LINK="-nostdlib -static -no-pie -Wl,-z,noseparate-code -Wl,--build-id=none \
	-Wl,-z,max-page-size=4096"

build() { # name, compiler, flags
	name=$1; shift
	"$@" $FLAGS -DTOY_PROGRAM=12345 toy.c $LINK -o "$name.elf"
	"$@" $FLAGS -DTOY_PROGRAM=12345 -DTOY_LEAK toy.c $LINK -o "$name-leak.elf"
}

log() { # version, name, qemu, ranges, stack pointer
	step=-one-insn-per-tb
	[ "$1" = 7.2 ] && step=-singlestep
	{ "$3" $step -d exec,nochain,cpu -dfilter "$4" -D /dev/fd/3 "./$2.elf" 3>&1; } |
		LC_ALL=C grep -aE "^Trace|$5" | gzip -9n >"$2-$1.log.gz"
}

case $1 in
build)
	build i386 i686-linux-gnu-gcc -mno-sse
	build x86_64 gcc -mno-sse -mno-red-zone
	build arm arm-linux-gnueabihf-gcc -marm
	build thumb arm-linux-gnueabihf-gcc -mthumb
	rm arm-leak.elf thumb-leak.elf x86_64-leak.elf
	;;
objects)
	SIZED="-O2 -ffreestanding -fno-pie -c unit.c"
	i686-linux-gnu-gcc $SIZED -fstack-usage -o unit-i386.elf
	i686-linux-gnu-gcc $SIZED -DUNIT_MORE -o unit-more-i386.elf
	arm-linux-gnueabihf-gcc $SIZED -mthumb -o unit-thumb.elf
	i686-linux-gnu-gcc $SIZED -flto -o unit-lto.elf
	i686-linux-gnu-gcc $SIZED -flto -ffat-lto-objects -o unit-fat-lto.elf
	clang --target=i686-linux-gnu $SIZED -flto -o unit.bc
	;;
log)
	log "$2" i386 qemu-i386 0x8048000+0x1000 ESP=
	[ "$2" = 7.2 ] || log "$2" i386-leak qemu-i386 0x8048000+0x1000 ESP=
	log "$2" x86_64 qemu-x86_64 0x400000+0x1000 RSP=
	log "$2" arm qemu-arm 0x10000+0x1000 R13=
	log "$2" thumb qemu-arm 0x10000+0x1000 R13=
	;;
esac
