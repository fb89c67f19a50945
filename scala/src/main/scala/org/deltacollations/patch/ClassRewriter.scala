// SPDX-License-Identifier: Apache-2.0
package org.deltacollations.patch

import org.apache.xbean.asm9.commons.{GeneratorAdapter, Method}
import org.apache.xbean.asm9.{ClassReader, ClassVisitor, ClassWriter, MethodVisitor, Opcodes, Type}

/**
 * Inserts calls to a copy of [[HookBridge]] into the bytecode of a class.
 *
 * Only method bodies change, without new local variables or branches. So the same bytecode can define
 * a class that is not loaded yet and redefine one that is, and the verifier needs no new stack maps.
 */
private[deltacollations] object ClassRewriter {

  /**
   * Inserts the call of one hook. This method rejects everything that the verifier could reject in the
   * inserted code: the JVM verifies a class at its first use, which is too late to continue without
   * the hook.
   *
   * To have several hooks of a method called in a given order, insert the last one first.
   *
   * @param bridge
   *   the class to call
   * @return
   *   the new bytecode, or the reason why the hook does not fit the class
   */
  def rewrite(bytes: Array[Byte], hook: Hook, bridge: Type): Either[String, Array[Byte]] = {
    val reader = new ClassReader(bytes)
    val writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS)
    val visitor = new HookedClass(writer, hook, bridge)
    reader.accept(visitor, ClassReader.EXPAND_FRAMES)
    visitor.rejection.toLeft(writer.toByteArray)
  }

  private val anyRef = Type.getType(classOf[Object])

  private val bridgeMethod = {
    val arguments = Type.getType(classOf[Array[Object]])
    val hookName = Type.getType(classOf[String])
    new Method("apply", anyRef, Array(anyRef, anyRef, arguments, hookName))
  }

  private def isReference(jvmType: Type): Boolean =
    jvmType.getSort == Type.OBJECT || jvmType.getSort == Type.ARRAY

  final private class HookedClass(next: ClassVisitor, hook: Hook, bridge: Type)
      extends ClassVisitor(Opcodes.ASM9, next) {

    private val descriptors = hook.signatures.map(Signature.toDescriptor)
    private val place = s"${hook.className.split('.').last}.${hook.method}"
    private var isChanged = false
    private var otherDescriptors = Seq.empty[String]
    private var unsupported = Option.empty[String]

    /** Returns why the hook does not fit the class, if it does not. */
    def rejection: Option[String] =
      if (unsupported.isDefined) unsupported
      else if (isChanged) None
      else if (otherDescriptors.isEmpty) Some(s"${hook.className} has no method ${hook.method}")
      else {
        val actual = otherDescriptors.map(Signature.fromDescriptor).mkString(" and ")
        Some(s"$place has the types $actual instead of ${hook.signatures.mkString(" or ")}")
      }

    override def visitMethod(
        access: Int,
        name: String,
        descriptor: String,
        signature: String,
        exceptions: Array[String]
    ): MethodVisitor = {
      val method = super.visitMethod(access, name, descriptor, signature, exceptions)
      val hasOwnBody = (access & (Opcodes.ACC_BRIDGE | Opcodes.ACC_ABSTRACT)) == 0
      if (!hasOwnBody || !isHookedName(name)) method
      else if (!descriptors.contains(descriptor)) {
        otherDescriptors :+= descriptor
        method
      } else if (lacksReference(descriptor)) {
        unsupported = Some(s"the value that hook ${hook.name} replaces in $place is not an object")
        method
      } else {
        isChanged = true
        new HookedMethod(method, access, name, descriptor, hook, bridge, () => rejectSlotReuse())
      }
    }

    /** Returns whether the value to replace does not exist or is a primitive. */
    private def lacksReference(descriptor: String): Boolean = hook.kind match {
      case HookKind.OnEntry => false
      case HookKind.ReplaceArgument(index) =>
        !Type.getArgumentTypes(descriptor).lift(index).exists(isReference)
      case HookKind.ReplaceResult => !isReference(Type.getReturnType(descriptor))
    }

    private def rejectSlotReuse(): Unit =
      unsupported = Some(s"$place stores other values in the slots of its parameters")

    /** Scala prefixes the name of a private method that another class calls with its own class. */
    private def isHookedName(name: String): Boolean =
      name == hook.method || name.endsWith("$$" + hook.method)
  }

  /** @param onSlotReuse called if the method stores a value that a parameter slot cannot have */
  final private class HookedMethod(
      next: MethodVisitor,
      access: Int,
      name: String,
      descriptor: String,
      hook: Hook,
      bridge: Type,
      onSlotReuse: () => Unit
  ) extends GeneratorAdapter(Opcodes.ASM9, next, access, name, descriptor) {

    private val isStatic = (access & Opcodes.ACC_STATIC) != 0

    /** The types in the slots of the receiver and the parameters; `None` for a second half. */
    private val slots: IndexedSeq[Option[Type]] = {
      val receiver = if (isStatic) None else Some(anyRef)
      (receiver ++ getArgumentTypes).toIndexedSeq
        .flatMap(jvmType => Some(jvmType) +: Seq.fill(jvmType.getSize - 1)(None))
    }

    override def visitCode(): Unit = {
      super.visitCode()
      hook.kind match {
        case HookKind.OnEntry =>
          pushNull()
          callBridge()
          pop()
        case HookKind.ReplaceArgument(index) =>
          loadArg(index)
          callBridge()
          checkCast(getArgumentTypes()(index))
          storeArg(index)
        case HookKind.ReplaceResult => ()
      }
    }

    override def visitVarInsn(opcode: Int, slot: Int): Unit = {
      val isStore = opcode >= Opcodes.ISTORE && opcode <= Opcodes.ASTORE
      if (isStore && slots.lift(slot).exists(!_.exists(_.getOpcode(Opcodes.ISTORE) == opcode)))
        onSlotReuse()
      super.visitVarInsn(opcode, slot)
    }

    override def visitInsn(opcode: Int): Unit = {
      if (opcode == Opcodes.ARETURN && hook.kind == HookKind.ReplaceResult) {
        callBridge()
        checkCast(getReturnType)
      }
      super.visitInsn(opcode)
    }

    /** Replaces the value on top of the stack with the result of the hook. */
    private def callBridge(): Unit = {
      if (isStatic) pushNull() else loadThis()
      loadArgArray()
      push(hook.name)
      invokeStatic(bridge, bridgeMethod)
    }

    private def pushNull(): Unit = push(null: String)
  }
}
